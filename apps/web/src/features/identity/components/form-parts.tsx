import css from './sign-in.module.css'

/** Why the server refused, above the button. */
export function Failure({ text }: { text: string | null }) {
  if (!text) return null
  return (
    <p className={css.failure} role="alert" data-testid="sign-in-error">
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        aria-hidden="true"
      >
        <path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM8 4.8v4M8 10.9v.1" strokeLinecap="round" />
      </svg>
      {text}
    </p>
  )
}

export function Submit({
  busy,
  text,
  testId = 'sign-in-submit',
  disabled = false,
}: {
  busy: boolean
  text: string
  testId?: string
  disabled?: boolean
}) {
  return (
    <button type="submit" className={css.submit} disabled={busy || disabled} data-testid={testId}>
      {busy && <span className={css.spinner} aria-hidden="true" />}
      {text}
    </button>
  )
}
