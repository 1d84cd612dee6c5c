import type { Texts } from "./shape.js";

export const fr: Texts = {
  login: {
    title: "Se connecter",
    intro: "Le fournisseur d’identité de votre organisation confirme qui vous êtes.",
    continueWith: (name) => `Continuer avec ${name}`,
    or: "ou",
    email: "Adresse e-mail professionnelle",
    next: "Continuer",
    unknownEmail:
      "Personne ne peut se connecter ici avec cette adresse. Vérifiez l’orthographe ou demandez à votre administrateur.",
  },
  magicLink: {
    title: "Se connecter avec un lien",
    intro:
      "Collez le lien que vous avez reçu. Vous verrez sous quelle identité vous vous connectez avant toute action.",
    token: "Lien",
    next: "Continuer",
    reading: "Lecture de votre lien…",
  },
  magicConfirm: {
    title: "Se connecter avec ce lien ?",
    asServiceAccount: "Vous agirez en tant que compte de service",
    asGuest: "Vous serez invité du cas d’usage",
    isSignedIn: "Vous êtes déjà connecté. Si vous continuez, ce navigateur aura une nouvelle session.",
    isSignedInAs: (name) =>
      `Vous êtes connecté en tant que ${name}. Si vous continuez, ce navigateur aura une nouvelle session.`,
    lastUse: "Le lien ne fonctionne que cette fois-ci.",
    usesLeft: (count) => `Utilisations restantes : ${count}`,
    signIn: "Se connecter",
    cancel: "Annuler",
  },
  leaving: {
    title: "Un instant",
    intro: "Nous vous conduisons à votre fournisseur d’identité.",
    next: "Continuer",
  },
  signedOut: {
    title: "Vous êtes déconnecté",
    intro: "La session de ce navigateur est terminée.",
    again: "Se reconnecter",
  },
  home: {
    title: "Bienvenue",
    looking: "Nous vérifions si vous êtes connecté…",
    isSignedIn: "Vous êtes connecté.",
    isSignedInAs: "Vous êtes connecté en tant que",
    isSignedOut: "Vous n’êtes pas connecté.",
    isUnknown: "Nous ne pouvons pas savoir pour le moment si vous êtes connecté. Réessayez dans un instant.",
    needsScript:
      "Sans JavaScript, cette page ne peut pas savoir si vous êtes connecté. La connexion et la déconnexion fonctionnent quand même.",
    signIn: "Se connecter",
    signOut: "Se déconnecter",
    reference: "Référence de l’API",
  },
  failures: {
    login_failed: {
      title: "La connexion a échoué",
      text: "Nous n’avons pas pu accepter la réponse de votre fournisseur d’identité. Recommencez et, si cela se reproduit, demandez à votre administrateur.",
    },
    link_invalid: {
      title: "Ce lien ne fonctionne pas",
      text: "Il est peut-être épuisé, expiré, retiré ou incomplet. Demandez-en un nouveau.",
    },
    too_many: { title: "Trop de tentatives", text: "Attendez une minute, puis réessayez." },
    unavailable: {
      title: "Nous ne pouvons pas répondre pour le moment",
      text: "Une partie de la plateforme est indisponible. Réessayez dans un instant.",
    },
    bad_request: { title: "Nous ne pouvons pas lire cette requête", text: "Revenez en arrière et recommencez." },
    forbidden_origin: {
      title: "Cette requête vient d’un autre site",
      text: "Pour votre sécurité, nous ne l’acceptons que depuis nos propres pages. Ouvrez la page ici et réessayez.",
    },
    not_found: { title: "Il n’y a rien ici", text: "Vérifiez l’adresse." },
    internal: {
      title: "Une erreur s’est produite",
      text: "Le problème vient de nous. Réessayez et, s’il persiste, indiquez-nous l’identifiant de la requête.",
    },
  },
  toHome: "Aller à la page d’accueil",
  requestId: "Identifiant de la requête",
};
