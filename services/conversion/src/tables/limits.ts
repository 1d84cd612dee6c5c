/** What one sheet of a workbook can hold; other programs refuse or cut what is beyond. */
export const sheetLimits = { rows: 1_048_576, columns: 16_384, cellCharacters: 32_767, nameCharacters: 31 } as const;
