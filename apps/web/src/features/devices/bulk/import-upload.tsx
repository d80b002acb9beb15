import { DownloadOutlined, FileExcelOutlined } from '@ant-design/icons'
import type { DeviceImportFile } from '@thingwright/contracts/device-imports.contract'
import { Alert, Button, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import { download } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import css from './bulk.module.css'

/** Takes a table of devices; what is wrong with it is said here, and text in GBK is read as that when wanted. */
export function ImportUpload({
  onFile,
  label,
}: {
  /** @param again reads the same file with its titles in another row */
  onFile: (file: DeviceImportFile, again: (headRow: number) => Promise<void>) => void
  /** Instead of the usual words, for a table of values. */
  label?: string
}) {
  const { t } = useTranslation('bulk')
  const input = useRef<HTMLInputElement>(null)
  const zone = useRef<HTMLDivElement>(null)
  const [sent, setSent] = useState<number | null>(null)
  const [failure, setFailure] = useState<{ error: unknown; file: File } | null>(null)
  const [over, setOver] = useState(false)
  const send = async (file: File | undefined, encoding?: string, headRow?: number): Promise<void> => {
    if (!file) return
    setFailure(null)
    setSent(0)
    try {
      onFile(
        await uploadFile<DeviceImportFile>({
          method: 'POST',
          url: '/api/v1/device-imports/files',
          fields: { ...(encoding ? { encoding } : {}), ...(headRow ? { headRow: String(headRow) } : {}) },
          file,
          signal: new AbortController().signal,
          onProgress: (done, total) => setSent(total === 0 ? 0 : done / total),
        }),
        row => send(file, encoding, row),
      )
    } catch (error) {
      setFailure({ error, file })
    } finally {
      setSent(null)
    }
  }
  const take = useRef(send)
  take.current = send
  useEffect(() => {
    const place = zone.current
    if (!place) return
    const stop = new AbortController()
    const on = (name: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) =>
      place.addEventListener(name, handle, { signal: stop.signal })
    on('dragover', event => {
      event.preventDefault()
      setOver(true)
    })
    on('dragleave', () => setOver(false))
    on('drop', event => {
      event.preventDefault()
      setOver(false)
      void take.current(event.dataTransfer?.files[0])
    })
    return () => stop.abort()
  }, [])
  const { attempt } = useWork()
  const template = (format: 'xlsx' | 'csv', of: 'devices' | 'history') => () =>
    void attempt(() => download('deviceImports.template', `${of}.${format}`, { query: { format, of } }))
  const gbk =
    failure?.error instanceof ApiError &&
    failure.error.code === 'import.encoding' &&
    failure.error.params.looksLike === 'GBK'
  const of = label ? 'history' : 'devices'
  return (
    <div className={css.stack}>
      <div ref={zone} className={css.drop} data-over={over}>
        <FileExcelOutlined aria-hidden style={{ fontSize: 32, color: 'var(--tw-primary)' }} />
        <Button type={label ? 'default' : 'primary'} loading={sent !== null} onClick={() => input.current?.click()}>
          {label ?? t('chooseFile')}
        </Button>
        <p className={css.hint}>{t('fileHint')}</p>
        {sent !== null && <Progress percent={Math.round(sent * 100)} style={{ width: 240 }} />}
        <input
          ref={input}
          type="file"
          hidden
          aria-label={label ?? t('chooseFile')}
          accept=".xlsx,.csv,.txt,.tsv"
          onChange={event => {
            void send(event.target.files?.[0])
            event.target.value = ''
          }}
        />
      </div>
      {failure && (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={errorFacts(failure.error).message}
          {...(gbk
            ? {
                action: (
                  <Button size="small" onClick={() => void send(failure.file, 'gb18030')}>
                    {t('readAsGbk')}
                  </Button>
                ),
              }
            : {})}
        />
      )}
      <div className={css.row}>
        <span>{t('template')}</span>
        {(['xlsx', 'csv'] as const).map(format => (
          <Button key={format} size="small" icon={<DownloadOutlined aria-hidden />} onClick={template(format, of)}>
            {format.toUpperCase()}
          </Button>
        ))}
      </div>
    </div>
  )
}
