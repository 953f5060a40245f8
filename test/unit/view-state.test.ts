import assert from 'node:assert/strict';
import { viewStateOf, type Situation } from '../../src/extension/view-state.ts';

describe('The welcome text of an empty list', () => {
  const fine: Situation = { hasFolder: true, hasProject: true, key: 'notNeeded', isUnreachable: false };
  const cases: [string, number | undefined, Situation | undefined][] = [
    ['loading', undefined, fine],
    ['loading', 0, undefined],
    ['list', 1, undefined],
    ['list', 3, { ...fine, hasFolder: false }],
    ['noFolder', 0, { ...fine, hasFolder: false, hasProject: false, key: 'missing', isUnreachable: true }],
    ['noProject', 0, { ...fine, hasProject: false, key: 'missing' }],
    ['keyGone', 0, { ...fine, key: 'gone', isUnreachable: true }],
    ['noKey', 0, { ...fine, key: 'missing', isUnreachable: true }],
    ['unreachable', 0, { ...fine, key: 'saved', isUnreachable: true }],
    ['empty', 0, { ...fine, key: 'saved' }],
    ['empty', 0, fine],
  ];
  for (const [state, jobs, situation] of cases) {
    it(`is ${state} with ${jobs} jobs and ${JSON.stringify(situation)}`, () =>
      assert.equal(viewStateOf(jobs, situation), state));
  }
});
