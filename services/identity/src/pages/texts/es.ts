import type { Texts } from "./shape.js";

export const es: Texts = {
  login: {
    title: "Iniciar sesión",
    intro: "El proveedor de identidad de su organización confirma quién es usted.",
    continueWith: (name) => `Continuar con ${name}`,
    or: "o",
    email: "Correo electrónico del trabajo",
    next: "Continuar",
    unknownEmail:
      "Nadie puede iniciar sesión aquí con esta dirección. Compruebe que esté bien escrita o pregunte a su administrador.",
  },
  magicLink: {
    title: "Iniciar sesión con un enlace",
    intro: "Pegue el enlace que ha recibido. Antes de que ocurra nada verá con qué identidad va a entrar.",
    token: "Enlace",
    next: "Continuar",
    reading: "Leyendo su enlace…",
  },
  magicConfirm: {
    title: "¿Iniciar sesión con este enlace?",
    asServiceAccount: "Actuará como la cuenta de servicio",
    asGuest: "Será invitado del caso de uso",
    isSignedIn: "Ya ha iniciado sesión. Si continúa, este navegador tendrá una sesión nueva.",
    isSignedInAs: (name) => `Ha iniciado sesión como ${name}. Si continúa, este navegador tendrá una sesión nueva.`,
    lastUse: "El enlace solo funciona esta vez.",
    usesLeft: (count) => `Usos restantes: ${count}`,
    signIn: "Iniciar sesión",
    cancel: "Cancelar",
  },
  leaving: {
    title: "Un momento",
    intro: "Le llevamos a su proveedor de identidad.",
    next: "Continuar",
  },
  signedOut: {
    title: "Ha cerrado la sesión",
    intro: "La sesión de este navegador ha terminado.",
    again: "Volver a iniciar sesión",
  },
  home: {
    title: "Le damos la bienvenida",
    looking: "Comprobando si ha iniciado sesión…",
    isSignedIn: "Ha iniciado sesión.",
    isSignedInAs: "Ha iniciado sesión como",
    isSignedOut: "No ha iniciado sesión.",
    isUnknown: "En este momento no podemos saber si ha iniciado sesión. Inténtelo de nuevo en breve.",
    needsScript:
      "Sin JavaScript, esta página no puede saber si ha iniciado sesión. Aun así, puede iniciar y cerrar sesión.",
    signIn: "Iniciar sesión",
    signOut: "Cerrar sesión",
    reference: "Referencia de la API",
  },
  failures: {
    login_failed: {
      title: "No se ha podido iniciar sesión",
      text: "No hemos podido aceptar lo que ha enviado su proveedor de identidad. Empiece de nuevo y, si vuelve a ocurrir, pregunte a su administrador.",
    },
    link_invalid: {
      title: "Este enlace no funciona",
      text: "Puede que esté agotado, caducado, retirado o incompleto. Pida uno nuevo.",
    },
    too_many: { title: "Demasiados intentos", text: "Espere un minuto e inténtelo de nuevo." },
    unavailable: {
      title: "Ahora mismo no podemos responder",
      text: "Una parte de la plataforma no está disponible. Inténtelo de nuevo en unos instantes.",
    },
    bad_request: { title: "No podemos leer esta solicitud", text: "Vuelva atrás y empiece de nuevo." },
    forbidden_origin: {
      title: "Esta solicitud viene de otro sitio",
      text: "Por su seguridad, solo la aceptamos desde nuestras propias páginas. Abra la página aquí e inténtelo de nuevo.",
    },
    not_found: { title: "Aquí no hay nada", text: "Compruebe la dirección." },
    internal: {
      title: "Algo ha salido mal",
      text: "El fallo es nuestro. Inténtelo de nuevo y, si persiste, indíquenos el identificador de la solicitud.",
    },
  },
  toHome: "Ir a la página de inicio",
  requestId: "Identificador de la solicitud",
};
