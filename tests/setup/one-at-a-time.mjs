import TestRunner from "jest-runner";

/** Runs one test file after the other, after those of the other runners. */
export default class OneAtATime extends TestRunner {
  isSerial = true;
}
