import type { Framing } from '@thingwright/contracts/links.contract'
import { useTranslation } from 'react-i18next'
import { spaced, toHex } from './bytes.ts'
import css from './product-link.module.css'

/** One frame as a row of boxes, and the next one behind it. */
export function FramingPicture({ framing }: { framing: Framing }) {
  const { t } = useTranslation('product-link')
  const part = (kind: 'data' | 'mark' | 'next', label: string, sub?: string) => (
    <span className={`${css.part} ${css[kind]}`}>
      <b>{label}</b>
      {sub && <small>{sub}</small>}
    </span>
  )
  const bytes = (count: number) => t('bytes', { count })
  const next = part('next', t('picture.next'))
  switch (framing.kind) {
    case 'none':
      return (
        <div className={css.picture}>
          {part('data', t('picture.frame'), t('picture.together'))}
          {part('mark', t('picture.silence'))}
          {next}
        </div>
      )
    case 'json':
      return (
        <div className={css.picture}>
          {part('data', '{ … }', t('picture.frame'))}
          {part('data', '[ … ]', t('picture.frame'))}
        </div>
      )
    case 'fixed':
      return (
        <div className={css.picture}>
          {part('data', t('picture.frame'), bytes(framing.length))}
          {next}
        </div>
      )
    case 'delimiter': {
      const hex = toHex(framing.delimiter)
      return (
        <div className={css.picture}>
          {part('data', t('picture.frame'))}
          {part('mark', framing.delimiter.value || '?', hex === null ? t('picture.notHex') : spaced(hex))}
          {next}
        </div>
      )
    }
    case 'length':
      return (
        <div className={css.picture}>
          {framing.offset > 0 && part('data', t('picture.head'), bytes(framing.offset))}
          {part(
            'mark',
            t('picture.length'),
            `${bytes(framing.bytes)}${framing.bytes > 1 ? ` · ${t(`framing.endians.${framing.endian}`)}` : ''}`,
          )}
          {part(
            'data',
            t('picture.rest'),
            framing.adjustment === 0
              ? t('picture.value')
              : t('picture.valueAnd', {
                  sign: framing.adjustment > 0 ? '+' : '−',
                  count: Math.abs(framing.adjustment),
                }),
          )}
          {next}
        </div>
      )
    case 'script':
      return null
  }
}
