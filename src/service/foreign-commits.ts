/** Of a push that is no fast-forward. What stands on the branch then is what a follow-up begins from. */
export const foreignCommits =
  "Somebody else's commits came onto the job's branch meanwhile. They were left alone. Ask again in a follow-up: it builds on them.";
