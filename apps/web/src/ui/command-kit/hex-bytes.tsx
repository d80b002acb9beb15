import { CopyButton } from '../copy-id.tsx'
import css from './command-kit.module.css'

/** `01 06 00 10`: hex as people read it. */
export const spaced = (hex: string): string => hex.toUpperCase().replaceAll(/(..)(?=.)/g, '$1 ')

/** Frames as bytes, with their lengths. */
export function HexBytes({ frames }: { frames: readonly string[] }) {
  return (
    <div className={css.bytes} dir="ltr">
      {frames.map((frame, at) => (
        <span key={at}>
          <code>{spaced(frame)}</code>
          <CopyButton value={spaced(frame)} />
          <span className={css.muted}>{frame.length / 2} B</span>
        </span>
      ))}
    </div>
  )
}
