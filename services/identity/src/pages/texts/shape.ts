import type { FailureReason } from "../failure.js";

/** What the pages say, in one language. */
export interface Texts {
  readonly login: {
    readonly title: string;
    readonly intro: string;
    continueWith(name: string): string;
    readonly or: string;
    readonly email: string;
    readonly next: string;
    readonly unknownEmail: string;
  };
  readonly magicLink: {
    readonly title: string;
    readonly intro: string;
    readonly token: string;
    readonly next: string;
    readonly reading: string;
  };
  readonly magicConfirm: {
    readonly title: string;
    readonly asServiceAccount: string;
    readonly asGuest: string;
    readonly isSignedIn: string;
    isSignedInAs(name: string): string;
    readonly lastUse: string;
    usesLeft(count: string): string;
    readonly signIn: string;
    readonly cancel: string;
  };
  readonly leaving: { readonly title: string; readonly intro: string; readonly next: string };
  readonly signedOut: { readonly title: string; readonly intro: string; readonly again: string };
  readonly home: {
    readonly title: string;
    readonly looking: string;
    readonly isSignedIn: string;
    readonly isSignedInAs: string;
    readonly isSignedOut: string;
    readonly isUnknown: string;
    readonly needsScript: string;
    readonly signIn: string;
    readonly signOut: string;
    readonly reference: string;
  };
  readonly failures: Readonly<Record<FailureReason, { readonly title: string; readonly text: string }>>;
  readonly toHome: string;
  readonly requestId: string;
}
