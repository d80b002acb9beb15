import { VOUCHER_FILES_MOST } from '@thingwright/contracts/money.words'
import type { VoucherFileView } from '@thingwright/contracts/purchase-orders.contract'
import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import css from '../money.module.css'

/** Pictures or PDFs of the voucher of a bank transfer. */
export function VoucherFiles({
  value,
  onChange,
}: {
  value: readonly VoucherFileView[]
  onChange: (value: VoucherFileView[]) => void
}) {
  const { t } = useTranslation('money')
  const input = useRef<HTMLInputElement>(null)
  const { attempt, pending } = useWork()
  const take = (file: File) =>
    attempt(async () => {
      const { signal } = new AbortController()
      const added = await uploadFile<VoucherFileView>({
        method: 'POST',
        url: '/api/v1/orders/voucher-files',
        fields: {},
        file,
        signal,
        onProgress: () => {},
      })
      onChange([...value, added])
    })
  return (
    <div className={css.voucherFiles}>
      {value.map(file => (
        <div key={file.id} className={css.line}>
          <span dir="auto">{file.name}</span>
          <Button type="link" size="small" onClick={() => onChange(value.filter(({ id }) => id !== file.id))}>
            {t('pay.removeFile')}
          </Button>
        </div>
      ))}
      <Button loading={pending} disabled={value.length >= VOUCHER_FILES_MOST} onClick={() => input.current?.click()}>
        {t('pay.addFile')}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        data-testid="voucher-file"
        accept="image/png,image/jpeg,image/webp,application/pdf"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ''
          if (file) void take(file)
        }}
      />
    </div>
  )
}
