import { FileZipOutlined, InboxOutlined } from '@ant-design/icons'
import { Alert, Button, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import css from '../ota.module.css'
import own from './packages.module.css'
import { hashFile } from './sha256.ts'

/** A chosen file and its hash, once it is known. */
export interface HashedFile {
  file: File
  sha256: string | null
}

/** Longest file; the server refuses longer ones too. */
const MAX_BYTES = 200 * 1024 * 1024
const ACCEPT = '.bin,.hex,.tar,.gz,.zip,.gzip,.apk,.img,.fw,.swu,.delta,.patch'

/** Takes one file by click or drop, and reads its hash here before anything is sent. */
export function FileChoice({
  value,
  onChange,
  disabled,
}: {
  value: HashedFile | null
  onChange: (next: HashedFile | null) => void
  disabled: boolean
}) {
  const { t } = useTranslation('ota')
  const input = useRef<HTMLInputElement>(null)
  const zone = useRef<HTMLDivElement>(null)
  const stop = useRef<AbortController | null>(null)
  const [read, setRead] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const [over, setOver] = useState(false)
  const take = async (file: File | undefined) => {
    if (!file || disabled) return
    stop.current?.abort()
    setProblem(null)
    if (file.size === 0) return setProblem(t('upload.emptyFile'))
    if (file.size > MAX_BYTES) return setProblem(t('upload.tooLong', { size: formatBytes(MAX_BYTES) }))
    const mine = new AbortController()
    stop.current = mine
    setRead(0)
    onChange({ file, sha256: null })
    try {
      onChange({ file, sha256: await hashFile(file, mine.signal, setRead) })
    } catch {
      if (mine.signal.aborted) return
      onChange(null)
      setProblem(t('upload.unreadable', { name: file.name }))
    }
  }
  const latest = useRef(take)
  latest.current = take
  useEffect(() => () => stop.current?.abort(), [])
  useEffect(() => {
    const place = zone.current
    if (!place) return
    const end = new AbortController()
    const on = (name: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) =>
      place.addEventListener(name, handle, { signal: end.signal })
    on('dragover', event => {
      event.preventDefault()
      setOver(true)
    })
    on('dragleave', () => setOver(false))
    on('drop', event => {
      event.preventDefault()
      setOver(false)
      void latest.current(event.dataTransfer?.files[0])
    })
    return () => end.abort()
  }, [])
  return (
    <div className={own.fileChoice}>
      <div ref={zone} className={own.drop} data-over={over} data-chosen={value !== null}>
        {value === null ? (
          <>
            <InboxOutlined aria-hidden className={own.dropIcon ?? ''} />
            <Button type="primary" onClick={() => input.current?.click()}>
              {t('upload.choose')}
            </Button>
            <p className={css.muted}>{t('upload.hint', { size: formatBytes(MAX_BYTES) })}</p>
          </>
        ) : (
          <>
            <FileZipOutlined aria-hidden className={own.fileIcon ?? ''} />
            <div className={own.fileText}>
              <span className={own.fileName} title={value.file.name} dir="auto">
                {value.file.name}
              </span>
              <span className={css.muted}>{formatBytes(value.file.size)}</span>
              {value.sha256 === null ? (
                <Progress
                  size="small"
                  percent={Math.floor((read / value.file.size) * 100)}
                  aria-label={t('upload.hashing')}
                  format={() => t('upload.hashing')}
                />
              ) : (
                <span className={own.hash} data-testid="file-hash">
                  SHA-256 <CopyId value={value.sha256} />
                </span>
              )}
            </div>
            <Button size="small" disabled={disabled} onClick={() => input.current?.click()}>
              {t('upload.another')}
            </Button>
          </>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('upload.choose')}
          accept={ACCEPT}
          onChange={event => {
            void take(event.target.files?.[0])
            event.target.value = ''
          }}
        />
      </div>
      {problem && <Alert type="error" showIcon role="alert" title={problem} />}
    </div>
  )
}
