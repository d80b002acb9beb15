import { Alert, Button, Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../copy-id.tsx'
import { SecretText } from '../secret-text.tsx'
import css from './device-access.module.css'

export interface ShownSecret {
  label: string
  value: string
  /** A text of several lines, offered as a file of this name. */
  fileName?: string
}

/** Secrets that are shown now and never again: the dialog closes only by saying that they are kept. */
export function ShownOnce({
  title,
  secrets,
  children,
  onClose,
}: {
  title: string
  secrets: readonly ShownSecret[]
  children?: ReactNode
  onClose: () => void
}) {
  const { t } = useTranslation('device-access')
  return (
    <Modal
      open
      width={640}
      title={title}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('kept')}
        </Button>
      }
    >
      <Alert type="warning" showIcon title={t('once')} />
      {children}
      <dl className={css.secrets}>
        {secrets.map(({ label, value, fileName }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {fileName === undefined ? (
                <SecretText value={value} />
              ) : (
                <>
                  <code>{fileName}</code>
                  <CopyButton value={value} />
                  <Button size="small" onClick={() => download(fileName, value)}>
                    {t('download')}
                  </Button>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
