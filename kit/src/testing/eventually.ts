/** Waits until the look finds something, asking again and again; fails after the deadline with what is waited for. */
export async function eventually<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  withinMs = 5_000,
): Promise<Found> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > deadlineMs) {
      throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
