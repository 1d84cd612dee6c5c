import type { Texts } from "./shape.js";

export const nl: Texts = {
  login: {
    title: "Inloggen",
    intro: "De identiteitsprovider van uw organisatie bevestigt wie u bent.",
    continueWith: (name) => `Doorgaan met ${name}`,
    or: "of",
    email: "Zakelijk e-mailadres",
    next: "Doorgaan",
    unknownEmail:
      "Met dit adres kan hier niemand inloggen. Controleer of het goed is geschreven of vraag het uw beheerder.",
  },
  magicLink: {
    title: "Inloggen met een link",
    intro: "Plak de link die u hebt gekregen. Voordat er iets gebeurt, ziet u als wie u inlogt.",
    token: "Link",
    next: "Doorgaan",
    reading: "Uw link wordt gelezen …",
  },
  magicConfirm: {
    title: "Inloggen met deze link?",
    asServiceAccount: "U handelt dan als het serviceaccount",
    asGuest: "U bent dan gast van de use case",
    isSignedIn: "U bent al ingelogd. Als u doorgaat, krijgt deze browser een nieuwe sessie.",
    isSignedInAs: (name) => `U bent ingelogd als ${name}. Als u doorgaat, krijgt deze browser een nieuwe sessie.`,
    lastUse: "De link werkt alleen deze ene keer.",
    usesLeft: (count) => `Nog te gebruiken: ${count} keer`,
    signIn: "Inloggen",
    cancel: "Annuleren",
  },
  leaving: {
    title: "Een ogenblik",
    intro: "U wordt naar uw identiteitsprovider gebracht.",
    next: "Doorgaan",
  },
  signedOut: {
    title: "U bent uitgelogd",
    intro: "De sessie in deze browser is beëindigd.",
    again: "Opnieuw inloggen",
  },
  home: {
    title: "Welkom",
    looking: "Er wordt gekeken of u bent ingelogd …",
    isSignedIn: "U bent ingelogd.",
    isSignedInAs: "U bent ingelogd als",
    isSignedOut: "U bent niet ingelogd.",
    isUnknown: "Op dit moment is niet vast te stellen of u bent ingelogd. Probeer het straks opnieuw.",
    needsScript:
      "Zonder JavaScript kan deze pagina niet vaststellen of u bent ingelogd. In- en uitloggen werkt wel gewoon.",
    signIn: "Inloggen",
    signOut: "Uitloggen",
    reference: "API-referentie",
  },
  failures: {
    login_failed: {
      title: "Inloggen is mislukt",
      text: "We konden het antwoord van uw identiteitsprovider niet aannemen. Begin opnieuw en vraag uw beheerder om hulp als het nog een keer gebeurt.",
    },
    link_invalid: {
      title: "Deze link werkt niet",
      text: "Misschien is hij opgebruikt, verlopen, ingetrokken of onvolledig. Vraag om een nieuwe.",
    },
    too_many: { title: "Te veel pogingen", text: "Wacht een minuut en probeer het dan opnieuw." },
    unavailable: {
      title: "We kunnen nu niet antwoorden",
      text: "Een deel van het platform is niet bereikbaar. Probeer het zo meteen opnieuw.",
    },
    bad_request: { title: "We kunnen dit verzoek niet lezen", text: "Ga terug en begin opnieuw." },
    forbidden_origin: {
      title: "Dit verzoek kwam van een andere site",
      text: "Voor uw veiligheid nemen we het alleen van onze eigen pagina’s aan. Open de pagina hier en probeer het opnieuw.",
    },
    not_found: { title: "Hier is niets", text: "Controleer het adres." },
    internal: {
      title: "Er ging iets mis",
      text: "De fout ligt bij ons. Probeer het opnieuw en geef het verzoeknummer aan ons door als het zo blijft.",
    },
  },
  toHome: "Naar de startpagina",
  requestId: "Verzoeknummer",
};
