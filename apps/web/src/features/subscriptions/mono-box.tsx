import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-id.tsx'
import css from './subscriptions.module.css'

/** A text in mono under its name, with a button that copies it. */
export function MonoBox({
  label,
  head,
  text,
  copied = text,
}: {
  label: string
  /** Stands over the text; the name where it is absent. */
  head?: ReactNode
  text: string
  /** What is copied, where the text is shown otherwise than it is. */
  copied?: string
}) {
  return (
    <section className={css.textBox}>
      <header>
        {head ?? <b>{label}</b>}
        <CopyButton value={copied} />
      </header>
      <Scrolling label={label} text={text} />
    </section>
  )
}

/** Code with a button that copies it. */
export function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <div className={css.codeBox}>
      <Scrolling label={label} text={text} />
      <CopyButton value={text} />
    </div>
  )
}

/** What scrolls must be reachable by keyboard, and what can be reached has a name. */
function Scrolling({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one of a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls
    <pre dir="ltr" tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
  )
}
