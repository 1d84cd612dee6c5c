/**
 * Carries short texts to every process that listens at that moment, as well as it can: nobody keeps them. Whoever
 * listens therefore also asks now and then for what it may have missed.
 */
export interface Notices {
  /** Texts of at most 7,500 bytes. Throws the Fault unavailable where they do not get away; some may have by then. */
  tell(subject: string, texts: readonly string[]): Promise<void>;
  /** Listens until all is closed. Resolves once it does or the first attempt has failed; it goes on trying. */
  listen(subject: string, listener: NoticeListener): Promise<void>;
  close(): Promise<void>;
}

export interface NoticeListener {
  hear(text: string): void;
  /** It listens from now on, the first time or again: what was told before may have gone unheard. */
  opened(): void;
  /** It still listens, as it found out just now. */
  alive(): void;
}
