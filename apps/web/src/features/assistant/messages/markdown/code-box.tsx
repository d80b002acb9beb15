import { CopyButton } from '../../../../ui/copy-id.tsx'
import css from '../messages.module.css'

/** Code to read and to copy, with the name of its language. */
export function CodeBox({ text, language, label }: { text: string; language?: string | undefined; label: string }) {
  return (
    <div className={css.code} dir="ltr">
      <div className={css.codeHead}>
        <span>{language ?? ''}</span>
        <CopyButton value={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields it is not */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
    </div>
  )
}
