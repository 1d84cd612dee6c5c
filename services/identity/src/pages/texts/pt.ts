import type { Texts } from "./shape.js";

export const pt: Texts = {
  login: {
    title: "Iniciar sessão",
    intro: "O fornecedor de identidade da sua organização confirma quem é.",
    continueWith: (name) => `Continuar com ${name}`,
    or: "ou",
    email: "Endereço de e-mail profissional",
    next: "Continuar",
    unknownEmail:
      "Ninguém pode iniciar sessão aqui com este endereço. Verifique se está bem escrito ou pergunte ao administrador.",
  },
  magicLink: {
    title: "Iniciar sessão com uma ligação",
    intro: "Cole a ligação que recebeu. Antes de acontecer alguma coisa, verá com que identidade vai entrar.",
    token: "Ligação",
    next: "Continuar",
    reading: "A ler a sua ligação…",
  },
  magicConfirm: {
    title: "Iniciar sessão com esta ligação?",
    asServiceAccount: "Vai agir como a conta de serviço",
    asGuest: "Será convidado do caso de uso",
    isSignedIn: "Já tem sessão iniciada. Se continuar, este navegador terá uma nova sessão.",
    isSignedInAs: (name) => `Tem sessão iniciada como ${name}. Se continuar, este navegador terá uma nova sessão.`,
    lastUse: "A ligação só funciona desta vez.",
    usesLeft: (count) => `Utilizações restantes: ${count}`,
    signIn: "Iniciar sessão",
    cancel: "Cancelar",
  },
  leaving: {
    title: "Um momento",
    intro: "Está a caminho do seu fornecedor de identidade.",
    next: "Continuar",
  },
  signedOut: {
    title: "A sessão foi terminada",
    intro: "Já não há sessão iniciada neste navegador.",
    again: "Iniciar sessão de novo",
  },
  home: {
    title: "Damos-lhe as boas-vindas",
    looking: "A verificar se tem sessão iniciada…",
    isSignedIn: "Tem sessão iniciada.",
    isSignedInAs: "Tem sessão iniciada como",
    isSignedOut: "Não tem sessão iniciada.",
    isUnknown: "De momento não conseguimos saber se tem sessão iniciada. Tente novamente dentro de instantes.",
    needsScript:
      "Sem JavaScript, esta página não consegue saber se tem sessão iniciada. Mesmo assim, pode iniciar e terminar sessão.",
    signIn: "Iniciar sessão",
    signOut: "Terminar sessão",
    reference: "Referência da API",
  },
  failures: {
    login_failed: {
      title: "Não foi possível iniciar sessão",
      text: "Não pudemos aceitar a resposta do seu fornecedor de identidade. Comece de novo e, se voltar a acontecer, pergunte ao administrador.",
    },
    link_invalid: {
      title: "Esta ligação não funciona",
      text: "Pode estar esgotada, expirada, anulada ou incompleta. Peça uma nova.",
    },
    too_many: { title: "Demasiadas tentativas", text: "Espere um minuto e tente novamente." },
    unavailable: {
      title: "Neste momento não conseguimos responder",
      text: "Uma parte da plataforma está indisponível. Tente novamente dentro de instantes.",
    },
    bad_request: { title: "Não conseguimos ler este pedido", text: "Volte atrás e comece de novo." },
    forbidden_origin: {
      title: "Este pedido veio de outro site",
      text: "Para sua segurança, só o aceitamos a partir das nossas próprias páginas. Abra a página aqui e tente novamente.",
    },
    not_found: { title: "Não há nada aqui", text: "Verifique o endereço." },
    internal: {
      title: "Algo correu mal",
      text: "A falha é nossa. Tente novamente e, se persistir, indique-nos o identificador do pedido.",
    },
  },
  toHome: "Ir para a página inicial",
  requestId: "Identificador do pedido",
};
