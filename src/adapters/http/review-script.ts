/**
 * Niceties of the review page; everything works without them. Asks whether the service is still there
 * when the reader comes back and before a form is sent, and says so when it is not.
 */
export const reviewScript = `(() => {
  const gone = document.getElementById('gone');
  const outcome = document.getElementById('outcome');
  if (!gone) return;
  if (outcome) {
    outcome.focus();
    const address = new URL(location.href);
    address.searchParams.delete('outcome');
    history.replaceState(null, '', address);
  }
  const isThere = async () => {
    try {
      const answer = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
      return answer.ok;
    } catch {
      return false;
    }
  };
  const look = async () => {
    const there = await isThere();
    gone.hidden = there;
    for (const button of document.querySelectorAll('.action button')) button.disabled = !there;
    return there;
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
  window.addEventListener('focus', () => void look());
  for (const form of document.querySelectorAll('.action form')) {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const button = form.querySelector('button');
      button.disabled = true;
      if (await look()) form.submit();
      else gone.scrollIntoView({ block: 'center' });
    });
  }
  for (const action of document.querySelectorAll('.action')) {
    action.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !action.open) return;
      action.open = false;
      action.querySelector('summary').focus();
    });
  }
  document.addEventListener('click', (event) => {
    for (const action of document.querySelectorAll('.action[open]')) {
      if (!action.contains(event.target)) action.open = false;
    }
  });
})();`;
