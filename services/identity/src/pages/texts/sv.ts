import type { Texts } from "./shape.js";

export const sv: Texts = {
  login: {
    title: "Logga in",
    intro: "Din organisations identitetsleverantör bekräftar vem du är.",
    continueWith: (name) => `Fortsätt med ${name}`,
    or: "eller",
    email: "E-postadress på jobbet",
    next: "Fortsätt",
    unknownEmail: "Ingen kan logga in här med den adressen. Kontrollera stavningen eller fråga din administratör.",
  },
  magicLink: {
    title: "Logga in med en länk",
    intro: "Klistra in länken som du har fått. Innan något händer ser du vem du loggar in som.",
    token: "Länk",
    next: "Fortsätt",
    reading: "Din länk läses …",
  },
  magicConfirm: {
    title: "Logga in med den här länken?",
    asServiceAccount: "Du kommer att agera som tjänstekontot",
    asGuest: "Du blir gäst i användningsfallet",
    isSignedIn: "Du är redan inloggad. Om du fortsätter får den här webbläsaren en ny session.",
    isSignedInAs: (name) => `Du är inloggad som ${name}. Om du fortsätter får den här webbläsaren en ny session.`,
    lastUse: "Länken fungerar bara den här gången.",
    usesLeft: (count) => `Återstående användningar: ${count}`,
    signIn: "Logga in",
    cancel: "Avbryt",
  },
  leaving: {
    title: "Ett ögonblick",
    intro: "Du skickas till din identitetsleverantör.",
    next: "Fortsätt",
  },
  signedOut: {
    title: "Du är utloggad",
    intro: "Sessionen i den här webbläsaren är avslutad.",
    again: "Logga in igen",
  },
  home: {
    title: "Välkommen",
    looking: "Kontrollerar om du är inloggad …",
    isSignedIn: "Du är inloggad.",
    isSignedInAs: "Du är inloggad som",
    isSignedOut: "Du är inte inloggad.",
    isUnknown: "Just nu går det inte att avgöra om du är inloggad. Försök igen om en stund.",
    needsScript: "Utan JavaScript kan sidan inte avgöra om du är inloggad. Det går ändå att logga in och ut.",
    signIn: "Logga in",
    signOut: "Logga ut",
    reference: "API-referens",
  },
  failures: {
    login_failed: {
      title: "Inloggningen misslyckades",
      text: "Vi kunde inte godta svaret från din identitetsleverantör. Börja om, och fråga din administratör om det händer igen.",
    },
    link_invalid: {
      title: "Länken fungerar inte",
      text: "Den kan vara förbrukad, utgången, återkallad eller ofullständig. Be om en ny.",
    },
    too_many: { title: "För många försök", text: "Vänta en minut och försök sedan igen." },
    unavailable: {
      title: "Vi kan inte svara just nu",
      text: "En del av plattformen går inte att nå. Försök igen om en stund.",
    },
    bad_request: { title: "Vi kan inte läsa begäran", text: "Gå tillbaka och börja om." },
    forbidden_origin: {
      title: "Begäran kom från en annan webbplats",
      text: "För din säkerhet godtar vi den bara från våra egna sidor. Öppna sidan här och försök igen.",
    },
    not_found: { title: "Här finns ingenting", text: "Kontrollera adressen." },
    internal: {
      title: "Något gick fel",
      text: "Felet är vårt. Försök igen, och uppge begärans id för oss om det kvarstår.",
    },
  },
  toHome: "Till startsidan",
  requestId: "Begärans id",
};
