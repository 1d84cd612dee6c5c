import type { Request, Response } from "express";
import { visitOf } from "../http/visit.js";
import { BUILT_IN_NAME } from "../settings/platform-name.js";
import { answerFailure, type FailureReason, prefersHtml, retryAfterS } from "./failure.js";
import { failurePage } from "./failure-page.js";
import { answerPage, type Content } from "./frame.js";
import { homePage } from "./home-page.js";
import {
  type LoginView,
  leavingPage,
  loginPage,
  type PostFormView,
  postFormPage,
  signedOutPage,
} from "./login-pages.js";
import { type MagicConfirmView, magicConfirmPage, magicLinkPage } from "./magic-pages.js";
import { textsOf } from "./texts.js";

/** What browsers see of identity. Each answers the whole response. */
export interface Pages {
  /** The small page at `/`. */
  home(request: Request, response: Response): void;
  login(request: Request, response: Response, view: LoginView): void;
  /** Never consumes: takes the token out of the address, or from whoever pastes it. */
  magicLink(request: Request, response: Response): void;
  /** Says who one becomes. Its button posts `token` with `step=consume`. */
  magicConfirm(request: Request, response: Response, view: MagicConfirmView): void;
  /** A form that goes elsewhere, sent by our script or by its button. */
  postForm(request: Request, response: Response, view: PostFormView): void;
  /** Leads to another site without a redirect. */
  leave(request: Request, response: Response, url: string): void;
  signedOut(request: Request, response: Response): void;
  /** A page for browsers, the one error body for others. `waitS`: when another try makes sense, where that is known. */
  failure(request: Request, response: Response, status: number, reason: FailureReason, waitS?: number): void;
}

export interface PagesOptions {
  readonly publicUrl: string;
  /** What the platform is called at the moment. */
  readonly platformName?: () => string;
}

export function createPages({ publicUrl, platformName = () => BUILT_IN_NAME }: PagesOptions): Pages {
  // Browsers hold the redirects that a form leads to against the page of the form, and identity providers redirect on
  // to whom they like. Without TLS, which is on this machine alone, theirs may do without it too.
  const formAction = publicUrl.startsWith("https:") ? "'self' https:" : "'self' https: http:";
  const show = (request: Request, response: Response, content: Content) =>
    answerPage(request, response, platformName(), content);
  return {
    home: (request, response) => show(request, response, { ...homePage(textsOf(request)), formAction }),
    login: (request, response, view) => show(request, response, { ...loginPage(textsOf(request), view), formAction }),
    magicLink: (request, response) => show(request, response, magicLinkPage(textsOf(request))),
    magicConfirm: (request, response, view) => show(request, response, magicConfirmPage(textsOf(request), view)),
    postForm: (request, response, view) =>
      show(request, response, { ...postFormPage(textsOf(request), view), formAction }),
    leave: (request, response, url) => show(request, response, leavingPage(textsOf(request), url)),
    signedOut: (request, response) => show(request, response, signedOutPage(textsOf(request))),
    failure(request, response, status, reason, waitS = retryAfterS(reason)) {
      if (waitS !== undefined) response.setHeader("Retry-After", String(waitS));
      response.setHeader("Cache-Control", "no-store");
      if (!prefersHtml(request)) return answerFailure(request, response, status, reason, waitS);
      const { requestId } = visitOf(request);
      show(request, response, { ...failurePage(textsOf(request), reason, requestId), status });
    },
  };
}
