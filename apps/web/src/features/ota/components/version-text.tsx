import { useTranslation } from 'react-i18next'
import css from '../ota.module.css'
import own from './components.module.css'

/** A version in mono; with `from` the way from one to the other. `null` is a version nobody has said. */
export function VersionText({ from, version }: { from?: string | null | undefined; version: string | null }) {
  const { t } = useTranslation('ota')
  const word = (text: string | null) =>
    text === null ? <span className={css.muted}>{t('versionUnknown')}</span> : <code>{text}</code>
  const title = [from === undefined ? [] : [from ?? t('versionUnknown')], version ?? t('versionUnknown')].flat()
  return (
    <span className={own.version} title={title.join(' → ')}>
      {from !== undefined && (
        <>
          {word(from)}
          <span className={css.arrow} aria-hidden="true">
            →
          </span>
        </>
      )}
      {word(version)}
    </span>
  )
}
