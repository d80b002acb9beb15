import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { askProof } from '../../../lib/proof.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { useOverview, useSecurityChanged } from '../hooks.ts'
import css from '../security.module.css'
import { AddressDialog, type AddressKind } from './address-dialog.tsx'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'

/** One's own phone and mail address: where codes and notices go. */
export function ContactTab() {
  const { t } = useTranslation('security')
  const overview = useOverview()
  const changed = useSecurityChanged()
  const [open, setOpen] = useState<AddressKind | null>(null)
  const { attempt, pending: asking } = useWork()
  // First the person, then the code: nobody has codes sent from a page that was left open.
  const begin = async (kind: AddressKind) => {
    await attempt(async () => {
      const { methods, provenUntil } = await call('security.proofOptions')
      if (provenUntil !== null || (await askProof(methods))) setOpen(kind)
    })
  }
  return (
    <Loaded query={overview}>
      {data => (
        <Stack>
          <Panel title={t('contact.title')} hint={t('contact.hint')}>
            <ul className={css.rows}>
              {(['phone', 'email'] as const).map(kind => (
                <Row
                  key={kind}
                  title={t(kind)}
                  text={data[kind] ?? t('unbound')}
                  actions={
                    <Button
                      disabled={asking}
                      onClick={() => void begin(kind)}
                      aria-label={t(data[kind] ? `contact.change.${kind}` : `contact.bind.${kind}`)}
                      data-testid={`change-${kind}`}
                    >
                      {t(data[kind] ? 'contact.change.short' : 'contact.bind.short')}
                    </Button>
                  }
                />
              ))}
            </ul>
          </Panel>
          {open && (
            <AddressDialog
              kind={open}
              onClose={() => setOpen(null)}
              onDone={() => {
                setOpen(null)
                void changed()
              }}
            />
          )}
        </Stack>
      )}
    </Loaded>
  )
}
