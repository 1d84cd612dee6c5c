import type { Texts } from "./shape.js";

export const pl: Texts = {
  login: {
    title: "Logowanie",
    intro: "Dostawca tożsamości Twojej organizacji potwierdza, kim jesteś.",
    continueWith: (name) => `Kontynuuj przez ${name}`,
    or: "lub",
    email: "Służbowy adres e-mail",
    next: "Kontynuuj",
    unknownEmail: "Z tym adresem nikt nie może się tu zalogować. Sprawdź pisownię albo zapytaj administratora.",
  },
  magicLink: {
    title: "Logowanie za pomocą linku",
    intro: "Wklej otrzymany link. Zanim cokolwiek się stanie, zobaczysz, jako kto się logujesz.",
    token: "Link",
    next: "Kontynuuj",
    reading: "Odczytujemy Twój link…",
  },
  magicConfirm: {
    title: "Zalogować się tym linkiem?",
    asServiceAccount: "Będziesz działać jako konto usługi",
    asGuest: "Będziesz gościem przypadku użycia",
    isSignedIn: "W tej przeglądarce ktoś jest już zalogowany. Kontynuacja rozpocznie w niej nową sesję.",
    isSignedInAs: (name) => `W tej przeglądarce zalogowano się jako ${name}. Kontynuacja rozpocznie w niej nową sesję.`,
    lastUse: "Link zadziała tylko ten jeden raz.",
    usesLeft: (count) => `Pozostałe użycia: ${count}`,
    signIn: "Zaloguj się",
    cancel: "Anuluj",
  },
  leaving: {
    title: "Chwileczkę",
    intro: "Przechodzisz do swojego dostawcy tożsamości.",
    next: "Kontynuuj",
  },
  signedOut: {
    title: "Wylogowano",
    intro: "Sesja w tej przeglądarce została zakończona.",
    again: "Zaloguj się ponownie",
  },
  home: {
    title: "Witamy",
    looking: "Sprawdzamy stan logowania…",
    isSignedIn: "Zalogowano.",
    isSignedInAs: "Zalogowano jako",
    isSignedOut: "Nie zalogowano.",
    isUnknown: "W tej chwili nie można sprawdzić stanu logowania. Spróbuj ponownie za moment.",
    needsScript:
      "Bez JavaScriptu ta strona nie może sprawdzić stanu logowania. Logowanie i wylogowanie działają mimo to.",
    signIn: "Zaloguj się",
    signOut: "Wyloguj się",
    reference: "Dokumentacja API",
  },
  failures: {
    login_failed: {
      title: "Logowanie nie powiodło się",
      text: "Nie mogliśmy przyjąć odpowiedzi Twojego dostawcy tożsamości. Zacznij od nowa, a jeśli to się powtórzy, zapytaj administratora.",
    },
    link_invalid: {
      title: "Ten link nie działa",
      text: "Mógł zostać wykorzystany, wygasnąć, zostać wycofany albo jest niepełny. Poproś o nowy.",
    },
    too_many: { title: "Zbyt wiele prób", text: "Odczekaj minutę i spróbuj ponownie." },
    unavailable: {
      title: "Nie możemy teraz odpowiedzieć",
      text: "Część platformy jest niedostępna. Spróbuj ponownie za chwilę.",
    },
    bad_request: { title: "Nie możemy odczytać tego żądania", text: "Wróć i zacznij od nowa." },
    forbidden_origin: {
      title: "To żądanie pochodzi z innej strony",
      text: "Dla Twojego bezpieczeństwa przyjmujemy je tylko z naszych własnych stron. Otwórz stronę tutaj i spróbuj ponownie.",
    },
    not_found: { title: "Tu nic nie ma", text: "Sprawdź adres." },
    internal: {
      title: "Coś poszło nie tak",
      text: "Błąd leży po naszej stronie. Spróbuj ponownie, a jeśli nie zniknie, podaj nam identyfikator żądania.",
    },
  },
  toHome: "Do strony głównej",
  requestId: "Identyfikator żądania",
};
