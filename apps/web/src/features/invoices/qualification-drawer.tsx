import type { InvoiceFileView, QualificationView } from '@thingwright/contracts/invoices.contract'
import { Alert, Button } from 'antd'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { uploadFile } from '../../lib/upload.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { INVOICES } from './hooks.ts'
import css from './invoices.module.css'

const MAX_FILES = 5

/** Hands a qualification in, or again with other facts. */
export function QualificationDrawer({
  qualification,
  onClose,
}: {
  qualification: QualificationView | null
  onClose: () => void
}) {
  const { t } = useTranslation('invoices')
  const create = useAct('invoiceQualifications.create', { touches: INVOICES })
  const update = useAct('invoiceQualifications.update', { touches: INVOICES })
  const fields = useMemo<Field[]>(
    () => [
      { key: 'title', kind: 'string', label: t('titleName'), required: true, maxLength: 100 },
      {
        key: 'taxNo',
        kind: 'string',
        label: t('taxNo'),
        required: true,
        mono: true,
        minLength: 15,
        maxLength: 20,
        help: t('taxNoHelp'),
      },
      { key: 'address', kind: 'string', label: t('registeredAddress'), required: true, maxLength: 200 },
      { key: 'phone', kind: 'string', label: t('registeredPhone'), required: true, maxLength: 32, half: true },
      { key: 'bank', kind: 'string', label: t('bankName'), required: true, maxLength: 100, half: true },
      {
        key: 'bankAccount',
        kind: 'string',
        label: t('bankAccount'),
        required: true,
        mono: true,
        maxLength: 40,
        pattern: /^[0-9 -]{6,40}$/,
        patternText: t('bankAccountRule'),
      },
      {
        key: 'files',
        kind: 'custom',
        label: t('licence'),
        help: t('licenceHelp'),
        required: true,
        check: value => ((value as InvoiceFileView[]).length === 0 ? t('licenceMissing') : null),
        render: ({ id, value, onChange, disabled }) => (
          <FilesInput id={id} value={value as InvoiceFileView[]} onChange={onChange} disabled={disabled} />
        ),
      },
    ],
    [t],
  )
  const initial = useMemo(() => (qualification ? { ...qualification } : { files: [] }), [qualification])
  return (
    <FormDrawer
      title={t(qualification ? 'changeQualification' : 'addQualification')}
      fields={fields}
      initial={initial}
      submitText={t('handIn')}
      intro={
        qualification?.reason ? (
          <Alert type="warning" showIcon title={qualification.reason} />
        ) : (
          <Alert type="info" showIcon title={t('reviewText')} />
        )
      }
      onSubmit={async ({ files, ...values }, newer) => {
        const body = { ...values, fileIds: (files as InvoiceFileView[]).map(file => file.id) }
        if (qualification)
          await update.send({
            params: { id: qualification.id },
            body: { ...body, version: newer ?? qualification.version } as Body<'invoiceQualifications.update'>,
          })
        else await create.send({ body: body as unknown as Body<'invoiceQualifications.create'> })
        notify.success(t('handedIn'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function FilesInput({
  id,
  value,
  onChange,
  disabled,
}: {
  id: string
  value: readonly InvoiceFileView[]
  onChange: (value: unknown) => void
  disabled: boolean
}) {
  const { t } = useTranslation('invoices')
  const input = useRef<HTMLInputElement>(null)
  const { attempt, pending } = useWork()
  const take = (file: File) =>
    attempt(async () => {
      const { signal } = new AbortController()
      const url = '/api/v1/invoices/files'
      const added = await uploadFile<InvoiceFileView>({
        method: 'POST',
        url,
        fields: {},
        file,
        signal,
        onProgress: () => {},
      })
      onChange([...value, added])
    })
  return (
    <div className={css.stack}>
      {value.map(file => (
        <div key={file.id} className={css.file}>
          <span>{file.name}</span>
          <Button
            type="link"
            size="small"
            disabled={disabled}
            onClick={() => onChange(value.filter(other => other.id !== file.id))}
          >
            {t('removeFile')}
          </Button>
        </div>
      ))}
      <Button
        id={id}
        loading={pending}
        disabled={disabled || value.length >= MAX_FILES}
        onClick={() => input.current?.click()}
      >
        {t('addFile')}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        data-testid="qualification-file"
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
