/** Names at the end what was not run and why: jest prints the titles of skipped tests only where it runs a single file. */
export default class Skipped {
  onRunComplete(_contexts, { testResults }) {
    const titles = testResults.flatMap((file) =>
      file.testResults
        .filter(({ status }) => status === "pending")
        .map(({ ancestorTitles, fullName }) => ancestorTitles.find((title) => title.includes("(skipped")) ?? fullName),
    );
    for (const title of new Set(titles)) console.error(`Skipped: ${title}`);
  }
}
