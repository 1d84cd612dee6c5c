import type { Texts } from "./shape.js";

export const de: Texts = {
  login: {
    title: "Anmelden",
    intro: "Der Identitätsanbieter Ihrer Organisation bestätigt, wer Sie sind.",
    continueWith: (name) => `Weiter mit ${name}`,
    or: "oder",
    email: "Geschäftliche E-Mail-Adresse",
    next: "Weiter",
    unknownEmail:
      "Mit dieser Adresse kann sich hier niemand anmelden. Prüfen Sie die Schreibweise oder fragen Sie Ihre Administration.",
  },
  magicLink: {
    title: "Mit einem Link anmelden",
    intro:
      "Fügen Sie den Link ein, den Sie erhalten haben. Bevor etwas geschieht, sehen Sie, als wer Sie sich anmelden.",
    token: "Link",
    next: "Weiter",
    reading: "Ihr Link wird gelesen …",
  },
  magicConfirm: {
    title: "Mit diesem Link anmelden?",
    asServiceAccount: "Sie handeln dann als das Dienstkonto",
    asGuest: "Sie sind dann Gast des Anwendungsfalls",
    isSignedIn: "Sie sind bereits angemeldet. Wenn Sie fortfahren, bekommt dieser Browser eine neue Sitzung.",
    isSignedInAs: (name) =>
      `Sie sind als ${name} angemeldet. Wenn Sie fortfahren, bekommt dieser Browser eine neue Sitzung.`,
    lastUse: "Der Link funktioniert nur dieses eine Mal.",
    usesLeft: (count) => `Noch verwendbar: ${count}-mal`,
    signIn: "Anmelden",
    cancel: "Abbrechen",
  },
  leaving: {
    title: "Einen Moment",
    intro: "Sie werden zu Ihrem Identitätsanbieter geleitet.",
    next: "Weiter",
  },
  signedOut: {
    title: "Sie sind abgemeldet",
    intro: "Die Sitzung in diesem Browser ist beendet.",
    again: "Erneut anmelden",
  },
  home: {
    title: "Willkommen",
    looking: "Es wird geprüft, ob Sie angemeldet sind …",
    isSignedIn: "Sie sind angemeldet.",
    isSignedInAs: "Sie sind angemeldet als",
    isSignedOut: "Sie sind nicht angemeldet.",
    isUnknown: "Ob Sie angemeldet sind, lässt sich gerade nicht feststellen. Versuchen Sie es gleich noch einmal.",
    needsScript:
      "Ohne JavaScript kann diese Seite nicht feststellen, ob Sie angemeldet sind. An- und Abmelden funktionieren trotzdem.",
    signIn: "Anmelden",
    signOut: "Abmelden",
    reference: "API-Referenz",
  },
  failures: {
    login_failed: {
      title: "Die Anmeldung ist fehlgeschlagen",
      text: "Die Antwort Ihres Identitätsanbieters konnte nicht angenommen werden. Beginnen Sie von vorn und fragen Sie Ihre Administration, wenn es noch einmal geschieht.",
    },
    link_invalid: {
      title: "Dieser Link funktioniert nicht",
      text: "Er ist vielleicht verbraucht, abgelaufen, zurückgezogen oder unvollständig. Bitten Sie um einen neuen.",
    },
    too_many: { title: "Zu viele Versuche", text: "Warten Sie eine Minute und versuchen Sie es dann erneut." },
    unavailable: {
      title: "Gerade ist keine Antwort möglich",
      text: "Ein Teil der Plattform ist nicht erreichbar. Versuchen Sie es gleich noch einmal.",
    },
    bad_request: { title: "Diese Anfrage ist nicht lesbar", text: "Gehen Sie zurück und beginnen Sie von vorn." },
    forbidden_origin: {
      title: "Diese Anfrage kam von einer anderen Seite",
      text: "Zu Ihrer Sicherheit wird sie nur von unseren eigenen Seiten angenommen. Öffnen Sie die Seite hier und versuchen Sie es erneut.",
    },
    not_found: { title: "Hier ist nichts", text: "Prüfen Sie die Adresse." },
    internal: {
      title: "Etwas ist schiefgegangen",
      text: "Der Fehler liegt bei uns. Versuchen Sie es erneut und nennen Sie uns die Anfragenummer, wenn er bleibt.",
    },
  },
  toHome: "Zur Startseite",
  requestId: "Anfragenummer",
};
