import type { Texts } from "./shape.js";

export const it: Texts = {
  login: {
    title: "Accedi",
    intro: "Il provider di identità della tua organizzazione conferma chi sei.",
    continueWith: (name) => `Continua con ${name}`,
    or: "oppure",
    email: "Indirizzo e-mail di lavoro",
    next: "Continua",
    unknownEmail:
      "Nessuno può accedere qui con questo indirizzo. Controlla che sia scritto correttamente o chiedi all’amministratore.",
  },
  magicLink: {
    title: "Accedi con un link",
    intro: "Incolla il link che hai ricevuto. Prima che succeda qualcosa vedrai con quale identità accedi.",
    token: "Link",
    next: "Continua",
    reading: "Lettura del link in corso…",
  },
  magicConfirm: {
    title: "Accedere con questo link?",
    asServiceAccount: "Agirai come l’account di servizio",
    asGuest: "Sarai ospite del caso d’uso",
    isSignedIn: "Hai già effettuato l’accesso. Se continui, questo browser avrà una nuova sessione.",
    isSignedInAs: (name) =>
      `Hai effettuato l’accesso come ${name}. Se continui, questo browser avrà una nuova sessione.`,
    lastUse: "Il link funziona solo questa volta.",
    usesLeft: (count) => `Utilizzi rimasti: ${count}`,
    signIn: "Accedi",
    cancel: "Annulla",
  },
  leaving: {
    title: "Un momento",
    intro: "Ti portiamo al tuo provider di identità.",
    next: "Continua",
  },
  signedOut: {
    title: "Hai effettuato la disconnessione",
    intro: "La sessione di questo browser è terminata.",
    again: "Accedi di nuovo",
  },
  home: {
    title: "Ti diamo il benvenuto",
    looking: "Verifichiamo se hai effettuato l’accesso…",
    isSignedIn: "Hai effettuato l’accesso.",
    isSignedInAs: "Hai effettuato l’accesso come",
    isSignedOut: "Non hai effettuato l’accesso.",
    isUnknown: "Al momento non possiamo sapere se hai effettuato l’accesso. Riprova tra poco.",
    needsScript:
      "Senza JavaScript questa pagina non può sapere se hai effettuato l’accesso. Puoi comunque accedere e uscire.",
    signIn: "Accedi",
    signOut: "Esci",
    reference: "Riferimento dell’API",
  },
  failures: {
    login_failed: {
      title: "Accesso non riuscito",
      text: "Non abbiamo potuto accettare la risposta del tuo provider di identità. Ricomincia e, se succede di nuovo, chiedi all’amministratore.",
    },
    link_invalid: {
      title: "Questo link non funziona",
      text: "Potrebbe essere esaurito, scaduto, ritirato o incompleto. Chiedine uno nuovo.",
    },
    too_many: { title: "Troppi tentativi", text: "Aspetta un minuto, poi riprova." },
    unavailable: {
      title: "In questo momento non possiamo rispondere",
      text: "Una parte della piattaforma non è disponibile. Riprova tra poco.",
    },
    bad_request: { title: "Non riusciamo a leggere questa richiesta", text: "Torna indietro e ricomincia." },
    forbidden_origin: {
      title: "Questa richiesta viene da un altro sito",
      text: "Per la tua sicurezza la accettiamo solo dalle nostre pagine. Apri la pagina qui e riprova.",
    },
    not_found: { title: "Qui non c’è nulla", text: "Controlla l’indirizzo." },
    internal: {
      title: "Qualcosa è andato storto",
      text: "L’errore è nostro. Riprova e, se continua, comunicaci l’identificativo della richiesta.",
    },
  },
  toHome: "Vai alla pagina iniziale",
  requestId: "Identificativo della richiesta",
};
