import type { CompanyFileView, VerificationView } from '@thingwright/contracts/company.contract'
import { Alert, Button, Skeleton } from 'antd'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, download } from '../../../lib/api-client.ts'
import { formatBytes } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../company.module.css'
import { useVerification } from '../hooks.ts'
import { FormPanel } from './form-panel.tsx'

const KIND = { unverified: 'disabled', in_review: 'processing', verified: 'success', rejected: 'error' } as const
const MAX_FILES = 5

/** Licence verification: its state, what was handed in, and the form while it may be handed in. */
export function VerificationTab({ mayWrite }: { mayWrite: boolean }) {
  const { t } = useTranslation('company')
  const query = useVerification()
  if (query.isError)
    return (
      <Panel>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Panel>
    )
  if (!query.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 6 }} />
      </Panel>
    )
  const { status, items } = query.data
  const last = items[0]
  return (
    <Stack>
      <Panel
        title={t('verificationState')}
        actions={<StatusTag kind={KIND[status]}>{t(`verified.${status}`)}</StatusTag>}
      >
        <p className={css.lead}>{t(`verificationText.${status}`)}</p>
        {status === 'rejected' && last?.reason && (
          <Alert type="warning" showIcon title={t('refusedBecause', { reason: last.reason })} />
        )}
      </Panel>
      {mayWrite && status !== 'in_review' && <SubmitForm last={last} />}
      <Panel title={t('handedIn')}>
        {items.length === 0 ? <EmptyState title={t('nothingHandedIn')} /> : <History items={items} />}
      </Panel>
    </Stack>
  )
}

function History({ items }: { items: readonly VerificationView[] }) {
  const { t } = useTranslation('company')
  const { attempt } = useWork()
  return (
    <ul className={css.history}>
      {items.map(item => (
        <li key={item.id}>
          <StatusTag kind={KIND[item.status]}>{t(`verified.${item.status}`)}</StatusTag>
          <div>
            <div>
              {item.legalName} · {item.creditCode}
            </div>
            {item.reason && <p className={css.muted}>{item.reason}</p>}
            {item.files.map(file => (
              <Button
                key={file.id}
                type="link"
                size="small"
                onClick={() => void attempt(() => download('account.file', file.name, { params: { id: file.id } }))}
              >
                {file.name}
              </Button>
            ))}
          </div>
          <TimeText value={item.submittedAt} mode="absolute" />
        </li>
      ))}
    </ul>
  )
}

function SubmitForm({ last }: { last: VerificationView | undefined }) {
  const { t } = useTranslation('company')
  const submitVerification = useAct('account.submitVerification')
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'string',
        key: 'legalName',
        label: t('legalName'),
        required: true,
        minLength: 2,
        maxLength: 100,
        half: true,
      },
      {
        kind: 'string',
        key: 'creditCode',
        label: t('creditCode'),
        help: t('creditCodeHelp'),
        required: true,
        mono: true,
        pattern: /^[0-9A-Ha-hJ-Nj-nP-Rp-rT-Ut-uW-Yw-y]{18}$/,
        patternText: t('creditCodeRule'),
        half: true,
      },
      { kind: 'string', key: 'legalPerson', label: t('legalPerson'), maxLength: 64, half: true, cleared: '' },
      { kind: 'string', key: 'note', label: t('note'), maxLength: 500, rows: 2, cleared: '' },
      {
        kind: 'custom',
        key: 'files',
        label: t('documents'),
        help: t('documentsHelp'),
        required: true,
        check: value => ((value as CompanyFileView[]).length === 0 ? t('documentsMissing') : null),
        render: ({ id, value, onChange, disabled }) => (
          <FilesInput id={id} value={value as CompanyFileView[]} onChange={onChange} disabled={disabled} />
        ),
      },
    ],
    [t],
  )
  const form = useSchemaForm(fields, {
    legalName: last?.legalName ?? '',
    creditCode: last?.creditCode ?? '',
    legalPerson: last?.legalPerson ?? '',
    note: '',
    files: [] as CompanyFileView[],
  })
  return (
    <FormPanel
      title={t(last ? 'submitAgain' : 'submitTitle')}
      form={form}
      saveText={t('submit')}
      onSave={async () => {
        const { files, ...values } = form.values as { files: CompanyFileView[] } & Record<string, string>
        const body = { legalPerson: '', note: '', ...values, fileIds: files.map(file => file.id) }
        await submitVerification.send({ body: body as unknown as Body<'account.submitVerification'> })
        form.reset(form.values)
        notify.success(t('submitted'))
      }}
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
  value: CompanyFileView[]
  onChange: (value: unknown) => void
  disabled: boolean
}) {
  const { t } = useTranslation('company')
  const input = useRef<HTMLInputElement>(null)
  const { attempt, pending: busy } = useWork()
  const take = async (file: File | undefined) => {
    if (!file) return
    await attempt(async () => {
      const added = await uploadFile<CompanyFileView>({
        method: 'POST',
        url: '/api/v1/company/files',
        fields: {},
        file,
        signal: new AbortController().signal,
        onProgress: () => {},
      })
      onChange([...value, added])
    })
  }
  return (
    <>
      {value.length > 0 && (
        <ul className={css.files}>
          {value.map(file => (
            <li key={file.id}>
              <span className={css.fileName} title={file.name}>
                {file.name}
              </span>
              <span className={css.muted}>{formatBytes(file.size)}</span>
              <Button
                type="link"
                size="small"
                disabled={disabled}
                onClick={() => onChange(value.filter(other => other.id !== file.id))}
              >
                {t('remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button
        id={id}
        loading={busy}
        disabled={disabled || value.length >= MAX_FILES}
        onClick={() => input.current?.click()}
      >
        {t('addDocument')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        data-testid="licence-file"
        accept="image/png,image/jpeg,image/webp,application/pdf"
        onChange={event => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </>
  )
}
