import { KNOWLEDGE_USE_CASES } from "./demo-use-cases-knowledge.mjs";
import { OFFICE_USE_CASES } from "./demo-use-cases-office.mjs";

/**
 * @typedef {Record<string, string>} Texts by language
 * @typedef {{ label: Texts, description: Texts, sync_connectors: readonly string[] }} UseCase
 */

/** @type {readonly UseCase[]} */
export const USE_CASES = [
  {
    label: {
      de: "Kundenanfragen beantworten",
      en: "Answer customer enquiries",
      es: "Responder consultas de clientes",
      fr: "Répondre aux demandes des clients",
      it: "Rispondere alle richieste dei clienti",
      nl: "Klantvragen beantwoorden",
      pl: "Odpowiadanie na zapytania klientów",
      pt: "Responder a pedidos de clientes",
      sv: "Besvara kundfrågor",
    },
    description: {
      de: "Entwirft freundliche Antworten auf Fragen und Beschwerden von Kunden und nennt die Quelle jeder Aussage.",
      en: "Drafts friendly replies to customers' questions and complaints and names the source of every statement.",
      es: "Redacta respuestas amables a preguntas y quejas de clientes e indica la fuente de cada afirmación.",
      fr: "Rédige des réponses aimables aux questions et réclamations des clients et en cite les sources.",
      it: "Redige risposte cortesi a domande e reclami dei clienti e indica la fonte di ogni affermazione.",
      nl: "Stelt vriendelijke antwoorden op vragen en klachten van klanten op en noemt de bron van elke uitspraak.",
      pl: "Przygotowuje uprzejme odpowiedzi na pytania i skargi klientów i podaje źródło każdego stwierdzenia.",
      pt: "Redige respostas cordiais a perguntas e reclamações de clientes e indica a fonte de cada afirmação.",
      sv: "Skriver utkast till vänliga svar på kundernas frågor och klagomål och anger källan till varje påstående.",
    },
    sync_connectors: ["manually_synced"],
  },
  {
    label: {
      de: "Verträge prüfen",
      en: "Review contracts",
      es: "Revisar contratos",
      fr: "Examiner des contrats",
      it: "Esaminare contratti",
      nl: "Contracten beoordelen",
      pl: "Analiza umów",
      pt: "Analisar contratos",
      sv: "Granska avtal",
    },
    description: {
      de: "Findet Fristen, Haftung und ungewöhnliche Klauseln in einem Vertrag und zitiert sie wörtlich.",
      en: "Finds deadlines, liability and unusual clauses in a contract and quotes them word for word.",
      es: "Localiza los plazos, la responsabilidad y las cláusulas inusuales de un contrato y las cita al pie de la letra.",
      fr: "Repère les délais, la responsabilité et les clauses inhabituelles d’un contrat et les cite mot pour mot.",
      it: "Individua scadenze, responsabilità e clausole insolite di un contratto e le cita alla lettera.",
      nl: "Vindt termijnen, aansprakelijkheid en ongebruikelijke bepalingen in een contract en citeert ze letterlijk.",
      pl: "Wyszukuje w umowie terminy, odpowiedzialność i nietypowe klauzule i cytuje je dosłownie.",
      pt: "Encontra num contrato prazos, responsabilidade e cláusulas invulgares e cita-os à letra.",
      sv: "Hittar tidsfrister, ansvar och ovanliga klausuler i ett avtal och citerar dem ordagrant.",
    },
    sync_connectors: ["manually_synced", "cloud_storage"],
  },
  ...KNOWLEDGE_USE_CASES,
  ...OFFICE_USE_CASES,
];
