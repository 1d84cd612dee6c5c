import type { Texts } from "./shape.js";

export const en: Texts = {
  login: {
    title: "Sign in",
    intro: "Your organisation's identity provider confirms who you are.",
    continueWith: (name) => `Continue with ${name}`,
    or: "or",
    email: "Work e-mail address",
    next: "Continue",
    unknownEmail: "Nobody can sign in here with this address. Check the spelling, or ask your administrator.",
  },
  magicLink: {
    title: "Sign in with a link",
    intro: "Paste the link that you were given. You will see who you become before anything happens.",
    token: "Link",
    next: "Continue",
    reading: "Reading your link …",
  },
  magicConfirm: {
    title: "Sign in with this link?",
    asServiceAccount: "You will act as the service account",
    asGuest: "You will be a guest of the use case",
    isSignedIn: "You are signed in already. If you continue, this browser gets a new session.",
    isSignedInAs: (name) => `You are signed in as ${name}. If you continue, this browser gets a new session.`,
    lastUse: "The link works this one time.",
    usesLeft: (count) => `Uses left: ${count}`,
    signIn: "Sign in",
    cancel: "Cancel",
  },
  leaving: {
    title: "One moment",
    intro: "You are on your way to your identity provider.",
    next: "Continue",
  },
  signedOut: {
    title: "You are signed out",
    intro: "The session in this browser has ended.",
    again: "Sign in again",
  },
  home: {
    title: "Welcome",
    looking: "Looking whether you are signed in …",
    isSignedIn: "You are signed in.",
    isSignedInAs: "You are signed in as",
    isSignedOut: "You are not signed in.",
    isUnknown: "We cannot tell at the moment whether you are signed in. Try again shortly.",
    needsScript:
      "Without JavaScript this page cannot tell whether you are signed in. Signing in and out works all the same.",
    signIn: "Sign in",
    signOut: "Sign out",
    reference: "API reference",
  },
  failures: {
    login_failed: {
      title: "Signing in failed",
      text: "We could not accept what your identity provider sent. Start again, and ask your administrator if it happens once more.",
    },
    link_invalid: {
      title: "This link does not work",
      text: "It may be used up, expired or withdrawn, or not be complete. Ask for a new one.",
    },
    too_many: { title: "Too many attempts", text: "Wait a minute, then try again." },
    unavailable: { title: "We cannot answer right now", text: "Part of the platform is away. Try again in a moment." },
    bad_request: { title: "We cannot read this request", text: "Go back and start again." },
    forbidden_origin: {
      title: "This request came from elsewhere",
      text: "For your safety we only accept it from our own pages. Open the page here and try again.",
    },
    not_found: { title: "There is nothing here", text: "Check the address." },
    internal: {
      title: "Something went wrong",
      text: "It is our fault. Try again, and tell us the request id if it stays.",
    },
  },
  toHome: "To the start page",
  requestId: "Request id",
};
