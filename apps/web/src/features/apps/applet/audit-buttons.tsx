import { APPLET_OUTCOMES } from '@thingwright/contracts/apps.words'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { SimulatedAct } from '../simulated-act.tsx'

/** Decides an audit in the place of WeChat's people, at the simulator alone. */
export function AuditButtons({ appletId }: { appletId: string }) {
  const { t } = useTranslation('apps')
  const [refusing, setRefusing] = useState(false)
  const decide = useAct('wechatSimulator.decide', {
    touches: ['wechatApplets'],
    done: () => notify.success(t('simulator.decided')),
  })
  const params = { id: appletId }
  return (
    <SimulatedAct>
      {APPLET_OUTCOMES.map(outcome => (
        <Button
          key={outcome}
          loading={decide.pending}
          onClick={() => (outcome === 'refuse' ? setRefusing(true) : void decide.run({ params, body: { outcome } }))}
        >
          {t(`simulator.${outcome}`)}
        </Button>
      ))}
      {refusing && (
        <FormDrawer
          title={t('simulator.refuse')}
          fields={[{ kind: 'string', key: 'reason', label: t('simulator.reason'), required: true, maxLength: 200 }]}
          initial={{ reason: t('simulator.usualReason') }}
          submitText={t('simulator.refuse')}
          onSubmit={async ({ reason }) => {
            await decide.send({ params, body: { outcome: 'refuse', reason: String(reason) } })
            setRefusing(false)
          }}
          onClose={() => setRefusing(false)}
        />
      )}
    </SimulatedAct>
  )
}
