/**
 * @typedef {import("./demo-use-cases.mjs").Texts} Texts
 * @typedef {{ category: string, label: Texts, description: Texts, source?: string }} Asset of the source by its name
 */

/** One of each category, for the use case that is shown first. @type {readonly Asset[]} */
export const ASSETS = [
  {
    category: "managed",
    source: "Product manuals",
    label: {
      de: "Produkthandbücher",
      en: "Product manuals",
      es: "Manuales de productos",
      fr: "Manuels des produits",
      it: "Manuali dei prodotti",
      nl: "Producthandleidingen",
      pl: "Instrukcje produktów",
      pt: "Manuais dos produtos",
      sv: "Produkthandböcker",
    },
    description: {
      de: "Alle Handbücher und Datenblätter der Produkte, die wir verkaufen.",
      en: "All manuals and data sheets of the products that we sell.",
      es: "Todos los manuales y fichas técnicas de los productos que vendemos.",
      fr: "Tous les manuels et fiches techniques des produits que nous vendons.",
      it: "Tutti i manuali e le schede tecniche dei prodotti che vendiamo.",
      nl: "Alle handleidingen en gegevensbladen van de producten die we verkopen.",
      pl: "Wszystkie instrukcje i karty katalogowe produktów, które sprzedajemy.",
      pt: "Todos os manuais e fichas técnicas dos produtos que vendemos.",
      sv: "Alla handböcker och datablad för produkterna som vi säljer.",
    },
  },
  {
    category: "external",
    label: {
      de: "Verbraucherrecht",
      en: "Consumer law",
      es: "Derecho del consumidor",
      fr: "Droit de la consommation",
      it: "Diritto dei consumatori",
      nl: "Consumentenrecht",
      pl: "Prawo konsumenckie",
      pt: "Direito do consumidor",
      sv: "Konsumenträtt",
    },
    description: {
      de: "Öffentliche Gesetzestexte zu Kauf, Widerruf und Gewährleistung.",
      en: "Public legal texts on purchase, withdrawal and warranty.",
      es: "Textos legales públicos sobre compra, desistimiento y garantía.",
      fr: "Textes de loi publics sur l’achat, la rétractation et la garantie.",
      it: "Testi di legge pubblici su acquisto, recesso e garanzia.",
      nl: "Openbare wetteksten over koop, herroeping en garantie.",
      pl: "Publiczne teksty prawne o zakupie, odstąpieniu od umowy i rękojmi.",
      pt: "Textos legais públicos sobre compra, livre resolução e garantia.",
      sv: "Offentliga lagtexter om köp, ångerrätt och garanti.",
    },
  },
  {
    category: "personal",
    label: {
      de: "Meine Notizen",
      en: "My notes",
      es: "Mis notas",
      fr: "Mes notes",
      it: "I miei appunti",
      nl: "Mijn notities",
      pl: "Moje notatki",
      pt: "As minhas notas",
      sv: "Mina anteckningar",
    },
    description: {
      de: "Was nur ich nachschlage.",
      en: "What only I look up.",
      es: "Lo que solo yo consulto.",
      fr: "Ce que je suis seul à consulter.",
      it: "Ciò che consulto solo io.",
      nl: "Wat alleen ik opzoek.",
      pl: "To, do czego zaglądam tylko ja.",
      pt: "O que só eu consulto.",
      sv: "Det som bara jag slår upp.",
    },
  },
];
