import { API_PATHS } from '@thingwright/contracts/api-paths'
import { Alert, Button, Drawer, Progress, Segmented, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download, type Reply } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { Stack } from '../../../ui/panel.tsx'

type Started = Reply<'loraLinks.import'>

/** Devices with their keys from a table: the work goes on as a task, which names the lines that failed. */
export function LoraImport({ productId, onClose }: { productId: string; onClose: () => void }) {
  const { t } = useTranslation('lora-link')
  const [existing, setExisting] = useState<'skip' | 'update'>('skip')
  const [file, setFile] = useState<File | null>(null)
  const [sent, setSent] = useState<number | null>(null)
  const [started, setStarted] = useState<Started | null>(null)
  const work = useWork({ touches: ['loraLinks', 'tasks', 'devices'] })
  const start = () =>
    work.attempt(async () => {
      setSent(0)
      try {
        setStarted(
          await uploadFile<Started>({
            method: 'POST',
            url: API_PATHS['loraLinks.import'][1],
            fields: { productId, existing },
            file: file!,
            signal: new AbortController().signal,
            onProgress: (loaded, total) => setSent(Math.round((loaded / total) * 100)),
          }),
        )
      } finally {
        setSent(null)
      }
    })
  const template = (format: 'csv' | 'xlsx') =>
    void work.attempt(() => download('loraLinks.importTemplate', `lora-devices.${format}`, { query: { format } }))
  return (
    <Drawer
      open
      size={560}
      title={t('import')}
      onClose={onClose}
      footer={
        <Space>
          <Button
            type="primary"
            disabled={file === null || started !== null}
            loading={work.pending}
            onClick={() => void start()}
          >
            {t('importStart')}
          </Button>
          <Button onClick={onClose}>{t('close')}</Button>
        </Space>
      }
    >
      <Stack>
        <p>{t('importLead')}</p>
        <Space wrap>
          <Button onClick={() => template('xlsx')}>{t('templateXlsx')}</Button>
          <Button onClick={() => template('csv')}>{t('templateCsv')}</Button>
        </Space>
        <Segmented
          value={existing}
          onChange={value => setExisting(value as 'skip' | 'update')}
          options={[
            { value: 'skip', label: t('existingSkip') },
            { value: 'update', label: t('existingUpdate') },
          ]}
        />
        <input
          type="file"
          accept=".csv,.xlsx"
          aria-label={t('file')}
          onChange={event => {
            setFile(event.target.files?.[0] ?? null)
            setStarted(null)
          }}
        />
        {sent !== null && <Progress percent={sent} />}
        {started && (
          <Alert
            type="success"
            showIcon
            role="status"
            title={t('importStarted', { rows: formatNumber(started.rows) })}
          />
        )}
      </Stack>
    </Drawer>
  )
}
