import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './copy-id.tsx'
import { hexDump } from './hex.ts'
import css from './payload-view.module.css'

/** The bytes of a message: as text where they are text, and as hex; copied as shown. */
export function PayloadView({ hex, text }: { hex: string | null; text: string | null }) {
  const { t } = useTranslation('ui')
  const [mode, setMode] = useState<'text' | 'hex'>(text === null ? 'hex' : 'text')
  if (hex === null && text === null) return null
  const shown = mode === 'text' && text !== null ? text : hexDump(hex ?? '')
  return (
    <div className={css.payload}>
      <div className={css.bar}>
        {text !== null && hex !== null && (
          <Segmented
            size="small"
            value={mode}
            options={[
              { value: 'text', label: t('payload.text') },
              { value: 'hex', label: 'HEX' },
            ]}
            onChange={next => setMode(next as 'text' | 'hex')}
          />
        )}
        <span className={css.size}>{hex === null ? '' : t('payload.bytes', { count: hex.length / 2 })}</span>
        <CopyButton value={mode === 'text' && text !== null ? text : (hex ?? '')} />
      </div>
      <pre className={css.bytes} dir="ltr">
        {shown}
      </pre>
    </div>
  )
}
