import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { Alert, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { campaignAddress } from '../addresses.ts'
import { Confirm } from '../components/confirm.tsx'
import { FIRMWARE } from '../hooks.ts'
import css from '../ota.module.css'
import { type CampaignAction, sharesOf } from '../words.ts'

/** Says how many devices an action of a campaign concerns and what becomes of them, then does it. */
export function CampaignDialog({
  action,
  ...rest
}: {
  action: CampaignAction
  of: OtaCampaignView
  onClose: () => void
}) {
  return action === 'rollback' ? <RollbackDialog {...rest} /> : <PlainDialog action={action} {...rest} />
}

function PlainDialog({
  action,
  of,
  onClose,
}: {
  action: Exclude<CampaignAction, 'rollback'>
  of: OtaCampaignView
  onClose: () => void
}) {
  const { t } = useTranslation('ota')
  const act = useAct(`otaCampaigns.${action}`, {
    touches: FIRMWARE,
    done: () => {
      notify.success(t(`campaign.${action}.done`, { name: of.name }))
      onClose()
    },
  })
  const { ok, bad, active, waiting } = sharesOf(of.counts)
  const numbers = {
    ok: formatNumber(ok),
    bad: formatNumber(bad),
    active: formatNumber(active),
    waiting: formatNumber(waiting),
  }
  return (
    <Confirm
      title={t(`campaign.${action}.title`, { name: of.name })}
      okText={t(`campaign.${action}.ok`)}
      danger={action === 'cancel'}
      onClose={onClose}
      onOk={() => act.send({ params: { id: of.id } })}
    >
      <p>{t(`campaign.${action}.text`, numbers)}</p>
      {action === 'resume' && of.stateReason === 'failure_rate' && (
        <Alert
          type="warning"
          showIcon
          title={t('campaign.resume.warning', {
            percent: formatNumber(Math.round((of.failurePercent ?? 0) * 10) / 10),
          })}
        />
      )}
    </Confirm>
  )
}

/** Another campaign that brings back what this one changed. */
function RollbackDialog({ of, onClose }: { of: OtaCampaignView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const navigate = useNavigate()
  const rollback = useAct('otaCampaigns.rollback', {
    touches: FIRMWARE,
    done: made => {
      notify.success(t('campaign.rollback.done', { name: made.name }))
      onClose()
      void navigate(campaignAddress(made.id))
    },
  })
  const id = useId()
  const [chosen, setChosen] = useState<string | null>(null)
  const packages = useRead('firmware.list', {
    query: { productId: of.productId, module: of.module, kind: 'full', sort: '-orderNo', limit: 100 },
  })
  const options = (packages.data?.items ?? [])
    .filter(each => each.id !== of.packageId && each.state !== 'disabled')
    .map(each => ({ value: each.id, label: `${each.version} · ${each.name}` }))
  const { ok } = sharesOf(of.counts)
  return (
    <Confirm
      title={t('campaign.rollback.title', { name: of.name })}
      okText={t('campaign.rollback.ok')}
      danger
      width={560}
      onClose={onClose}
      onOk={() => rollback.send({ params: { id: of.id }, body: chosen === null ? {} : { packageId: chosen } })}
    >
      <p>{t('campaign.rollback.text', { ok: formatNumber(ok), version: of.version })}</p>
      <label htmlFor={id} className={css.label}>
        {t('campaign.rollback.package')}
      </label>
      <Select
        id={id}
        style={{ width: '100%' }}
        allowClear
        loading={packages.isPending}
        placeholder={t('campaign.rollback.former')}
        value={chosen}
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
        notFoundContent={t('campaign.rollback.noPackage')}
        onChange={(next: string | null | undefined) => setChosen(next ?? null)}
      />
    </Confirm>
  )
}
