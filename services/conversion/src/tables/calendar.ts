/** Days since the last day of 1899, as spreadsheets count them; undefined if it is no day, or one before March 1900. */
export function daySerial(year: number, month: number, day: number): number | undefined {
  // Written so that NaN is no day either.
  if (!(year >= 1900 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return undefined;
  const serial = Date.UTC(year, month - 1, day) / DAY_MS + SERIAL_OF_1970;
  // Spreadsheets count a 29 February 1900 that never was: before it their days differ from each other's.
  return serial >= FIRST_SAFE_SERIAL ? serial : undefined;
}

/** The part of a day that has passed at a time of day; undefined if it is none. */
export function timeSerial(hours: number, minutes: number, seconds: number): number | undefined {
  if (!(hours <= 23 && minutes <= 59 && seconds < 60)) return undefined;
  return (hours * 3600 + minutes * 60 + seconds) / 86_400;
}

const DAY_MS = 86_400_000;
const SERIAL_OF_1970 = 25_569;
const FIRST_SAFE_SERIAL = 61;

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0);
}
