import type { ReactNode } from 'react'
import { CopyButton } from '../../../ui/copy-id.tsx'
import css from './components.module.css'

/** Code to read and to copy; `head` stands at its left above it. */
export function CodeBox({
  text,
  label,
  head,
  tall = false,
}: {
  text: string
  label: string
  head?: ReactNode
  tall?: boolean
}) {
  return (
    <div className={css.code}>
      <div className={head === undefined ? css.codeCopy : css.codeHead}>
        {head}
        <CopyButton value={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields it is not */}
      <pre className={tall ? css.tall : undefined} tabIndex={0} role="group" aria-label={label} dir="ltr">
        {text}
      </pre>
    </div>
  )
}
