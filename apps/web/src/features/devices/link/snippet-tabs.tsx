import { Alert, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { useThingModel } from '../hooks.ts'
import { examplePayload } from './example-values.ts'
import css from './link.module.css'
import { SNIPPETS, type SnippetName, snippet } from './snippets.ts'
import { useAccess } from './use-access.ts'

/** Ready code for a device's first message; with the secret where it is known, else with words in its place. */
export function SnippetTabs({
  device,
  secret,
}: {
  device: { id: string; productId: string; productKey: string; deviceNo: string }
  secret: string | null
}) {
  const { t } = useTranslation('devices')
  const access = useAccess(device.id)
  const { model } = useThingModel(device.productId)
  const [name, setName] = useState<SnippetName>('mosquitto')
  if (!access.data) return null
  const text = snippet(name, {
    ...access.data,
    secret: secret ?? t('secretPlace'),
    payload: examplePayload(model),
    productKey: device.productKey,
    deviceNo: device.deviceNo,
  })
  return (
    <div className={css.snippets}>
      <Segmented
        value={name}
        options={SNIPPETS.map(each => ({ value: each, label: t(`snippet.${each}`) }))}
        onChange={next => setName(next as SnippetName)}
      />
      {secret === null && <Alert type="info" showIcon title={t('snippetNoSecret', { place: t('secretPlace') })} />}
      <div className={css.code}>
        <pre dir="ltr">{text}</pre>
        <CopyButton value={text} />
      </div>
    </div>
  )
}
