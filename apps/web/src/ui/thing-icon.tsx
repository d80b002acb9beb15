import { SvgIcon } from './svg-icon.tsx'
import css from './thing-icon.module.css'

/** What stands for a product without an icon of its own: a plain box. */
const BOX =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"><path d="M3.500 7.500 12 3l8.500 4.500v9L12 21l-8.500-4.500z"/><path d="M3.500 7.500 12 12l8.500-4.500M12 12v9"/></svg>'

/** The icon of a product or a device on its tinted square. Decorative: a name always stands beside it. */
export function ThingIcon({ svg, size }: { svg: string; size: number }) {
  return (
    <span className={css.frame} style={{ width: size, height: size, borderRadius: size >= 40 ? 8 : 6 }}>
      <SvgIcon svg={svg === '' ? BOX : svg} size={Math.round(size * 0.6)} />
    </span>
  )
}
