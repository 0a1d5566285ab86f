import type { Reporter, TestModule } from 'vitest/node';

/** Ends with the line that ./verify counts tests by, which is Surefire's. */
export default class SurefireSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = errors.length + modules.filter((module) => module.errors().length > 0).length;
    console.log(`Tests run: ${tests.length}, Failures: ${inState('failed')}, Errors: ${broken}, Skipped: ${inState('skipped')}`);
  }
}
