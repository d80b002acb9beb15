import { ArrowLeftOutlined } from '@ant-design/icons'
import type { LibraryEntry } from '@thingwright/contracts/product-library.contract'
import type { Property } from '@thingwright/thing-model/model'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import css from './library.module.css'

/** What a ready-made product brings: its properties, its format, frames of real devices and what they become. */
export function LibraryPreview({
  entry,
  busy,
  onInstall,
  onBack,
}: {
  entry: LibraryEntry
  busy: boolean
  onInstall: () => void
  onBack: () => void
}) {
  const { t } = useTranslation('library')
  const language = locale()
  const template = useRead('productLibrary.get', { params: { key: entry.key } }, { staleTime: 300_000 })
  const properties = (template.data?.thingModel.properties ?? []) as Property[]
  const source = template.data?.format.source
  return (
    <div className={css.stack}>
      <div className={css.previewHead}>
        <Button type="text" icon={<ArrowLeftOutlined aria-hidden />} onClick={onBack}>
          {t('back')}
        </Button>
        <Button type="primary" loading={busy} onClick={onInstall}>
          {t('install')}
        </Button>
      </div>
      <h3 className={css.name}>{entry.name[language]}</h3>
      <p className={css.hint}>{[entry.vendor, entry.model, entry.description[language]].filter(Boolean).join(' · ')}</p>
      {template.isError && <ErrorState error={template.error} onRetry={() => void template.refetch()} />}
      <h4>{t('model')}</h4>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('property')}</th>
            <th scope="col">{t('identifier')}</th>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('unit')}</th>
            <th scope="col">{t('access')}</th>
          </tr>
        </thead>
        <tbody>
          {properties.map(property => (
            <tr key={property.identifier}>
              <td>{language === 'en' ? (property.ename ?? property.name) : property.name}</td>
              <td className={css.mono}>{property.identifier}</td>
              <td>{property.dataType.type}</td>
              <td>{property.unit ?? ''}</td>
              <td>{property.access}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h4>{t('samples')}</h4>
      {template.data?.samples.map(sample => (
        <div key={sample.name} className={css.sample}>
          <b>{sample.name}</b>
          <code dir="ltr">{sample.payload}</code>
          <code dir="ltr">
            {sample.direction === 'down'
              ? JSON.stringify(sample.command?.params)
              : (sample.expectedReason ?? JSON.stringify(sample.expected ?? {}))}
          </code>
        </div>
      ))}
      {typeof source === 'string' && (
        <>
          <h4>{t('script')}</h4>
          <pre className={css.source} dir="ltr">
            {source}
          </pre>
        </>
      )}
    </div>
  )
}
