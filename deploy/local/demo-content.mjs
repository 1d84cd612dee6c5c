/**
 * @typedef {{ title: string, context: string }} Context
 * @typedef {{ name: string, group?: string, contexts: readonly Context[] }} Category for a group, or for the org
 */

export const USERS = [
  { email: "editor@demo.example", name: "Edda Editor", role: "editor" },
  { email: "member@demo.example", name: "Mika Member", role: "member" },
];

export const GROUPS = [
  {
    name: "Customer care",
    members: [
      { email: "member@demo.example", manager: true },
      { email: "editor@demo.example", manager: false },
    ],
  },
  { name: "Legal", members: [{ email: "editor@demo.example", manager: false }] },
];

/** Of the whole platform; the last one is shown first. */
export const MODELS = [
  { id: "small-1", name: "Small" },
  { id: "large-1", name: "Large" },
];

const ANSWER_LANGUAGE = [
  {
    title: "Deutsch",
    context: "Ist die Frage auf Deutsch gestellt, antworte auf Deutsch und verwende die Anrede „Sie“.",
  },
  { title: "English", context: "If the question is in English, answer in English and use British spelling." },
  { title: "Español", context: "Si la pregunta está en español, responde en español y trata a la persona de usted." },
  { title: "Français", context: "Si la question est posée en français, réponds en français et vouvoie la personne." },
  { title: "Italiano", context: "Se la domanda è in italiano, rispondi in italiano e dai del Lei alla persona." },
  {
    title: "Nederlands",
    context: "Als de vraag in het Nederlands is gesteld, antwoord dan in het Nederlands en gebruik de u-vorm.",
  },
  {
    title: "Polski",
    context: "Jeśli pytanie zadano po polsku, odpowiadaj po polsku i zwracaj się do rozmówcy per Pan lub Pani.",
  },
  {
    title: "Português",
    context: "Se a pergunta for feita em português, responda em português e trate a pessoa com cortesia.",
  },
  { title: "Svenska", context: "Om frågan är ställd på svenska, svara på svenska och tilltala personen med du." },
];

const CLOSING_LINE = [
  { title: "Deutsch", context: "Beende Antworten auf Deutsch mit: „Bei weiteren Fragen helfe ich Ihnen gern.“" },
  { title: "English", context: "End answers in English with: “I am happy to help with any further questions.”" },
  { title: "Español", context: "Termina las respuestas en español con: «Con gusto le ayudo si tiene más preguntas.»" },
  {
    title: "Français",
    context: "Termine les réponses en français par : « Je reste à votre disposition pour toute autre question. »",
  },
  { title: "Italiano", context: "Concludi le risposte in italiano con: «Resto a Sua disposizione per altre domande.»" },
  { title: "Nederlands", context: "Sluit antwoorden in het Nederlands af met: “Ik help u graag bij verdere vragen.”" },
  { title: "Polski", context: "Odpowiedzi po polsku kończ zdaniem: „Chętnie odpowiem na dalsze pytania”." },
  { title: "Português", context: "Termine as respostas em português com: «Fico à disposição para mais perguntas.»" },
  { title: "Svenska", context: "Avsluta svar på svenska med: ”Jag hjälper gärna till om du har fler frågor.”" },
];

/** @type {readonly Category[]} */
export const CATEGORIES = [
  { name: "Answer language", contexts: ANSWER_LANGUAGE },
  {
    name: "House style",
    contexts: [
      {
        title: "Short first",
        context: "Begin with the answer in one or two sentences. Explain afterwards, and only what was asked.",
      },
      {
        title: "Numbers and dates",
        context: "Write dates as 31 January 2026 and separate thousands with a space. Always give the unit.",
      },
    ],
  },
  {
    name: "Privacy",
    contexts: [
      {
        title: "Personal data",
        context:
          "Never repeat personal data that the question does not need. Ask for an order number instead of a name.",
      },
      {
        title: "Sources",
        context: "Name the document that a statement comes from. If none supports it, say that you do not know.",
      },
    ],
  },
  {
    name: "Tone",
    group: "Customer care",
    contexts: [
      {
        title: "Friendly and clear",
        context:
          "Write to customers in a friendly tone, without jargon, and thank them for their patience after a delay.",
      },
      {
        title: "Complaints",
        context: "Take a complaint seriously: say what went wrong, what happens next and until when.",
      },
    ],
  },
  { name: "Closing line", group: "Customer care", contexts: CLOSING_LINE },
  {
    name: "Caution",
    group: "Legal",
    contexts: [
      {
        title: "No legal advice",
        context: "Explain what a contract or a law says, but give no advice on a single case. Refer to the legal team.",
      },
      { title: "Quote exactly", context: "Quote clauses word for word with their number, and mark every omission." },
    ],
  },
];
