import { OPENING_STATES } from '@thingwright/contracts/operator.words'
import { Button, Modal } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import css from '../operator.module.css'

const MONTH_MS = 30 * 86_400_000

/** Makes a company with its owner, and shows the owner's password this once. */
export function CreateCompany({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('operator')
  const [made, setMade] = useState<Reply<'operator.createCompany'> | null>(null)
  const create = useAct('operator.createCompany', { done: setMade })
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('company'), required: true, maxLength: 64 },
      {
        kind: 'string',
        key: 'username',
        label: t('ownerName'),
        help: t('ownerNameHelp'),
        required: true,
        pattern: /^[A-Za-z][A-Za-z0-9_.-]{2,31}$/,
        patternText: t('ownerNameRule'),
        half: true,
      },
      { kind: 'string', key: 'displayName', label: t('displayName'), maxLength: 64, half: true },
      {
        kind: 'enum',
        key: 'status',
        label: t('state'),
        required: true,
        display: 'segmented',
        options: OPENING_STATES.map(value => ({ value, label: t(`status.${value}`) })),
      },
      { kind: 'date', key: 'expiresAt', label: t('expiresAt'), visible: values => values.status !== 'inactive' },
    ],
    [t],
  )
  if (made)
    return (
      <Modal
        open
        width={480}
        title={t('companyMade')}
        onCancel={onClose}
        footer={
          <Button type="primary" onClick={onClose}>
            {t('close')}
          </Button>
        }
      >
        <p className={css.lead}>{t('companyMadeText')}</p>
        <div className={css.secret}>
          <Facts
            items={[
              { label: t('ownerName'), value: <CopyId value={made.username} />, wide: true },
              { label: t('password'), value: <CopyId value={made.password} />, wide: true },
            ]}
          />
        </div>
      </Modal>
    )
  return (
    <FormDrawer
      title={t('addCompany')}
      fields={fields}
      initial={{ name: '', username: '', displayName: '', status: 'trial', expiresAt: serverNow() + MONTH_MS }}
      submitText={t('create')}
      onClose={onClose}
      onSubmit={async values => {
        const { name, username, displayName, status, expiresAt } = values as {
          name: string
          username: string
          displayName?: string | null
          status: 'inactive' | 'trial' | 'active'
          expiresAt?: number | null
        }
        const body: Body<'operator.createCompany'> = {
          name,
          username,
          status,
          ...(displayName ? { displayName } : {}),
          expiresAt: expiresAt && status !== 'inactive' ? new Date(expiresAt).toISOString() : null,
        }
        await create.send({ body })
      }}
    />
  )
}
