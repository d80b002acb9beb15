import { Alert, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import css from './link.module.css'
import { useAccess } from './use-access.ts'

/** Ready code for a device's first message, as the server makes it; with the secret where it is known. */
export function SnippetTabs({ device, secret }: { device: { id: string }; secret: string | null }) {
  const { t } = useTranslation('devices')
  const access = useAccess(device.id)
  const [chosen, setChosen] = useState<string | null>(null)
  if (!access.data) return null
  const { ways, secretPlace } = access.data
  // The way of the product's link comes first.
  const snippets = ways[0]?.snippets ?? []
  const snippet = snippets.find(({ name }) => name === chosen) ?? snippets[0]
  if (!snippet) return null
  const text = secret === null ? snippet.text : snippet.text.replaceAll(secretPlace, secret)
  return (
    <div className={css.snippets}>
      <Segmented
        value={snippet.name}
        options={snippets.map(({ name }) => ({ value: name, label: t(`snippet.${name}`) }))}
        onChange={next => setChosen(next)}
      />
      {secret === null && <Alert type="info" showIcon title={t('snippetNoSecret', { place: secretPlace })} />}
      <div className={css.code} data-testid="snippet">
        <pre dir="ltr">{text}</pre>
        <CopyButton value={text} />
      </div>
    </div>
  )
}
