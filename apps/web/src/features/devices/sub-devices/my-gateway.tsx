import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { deviceAddress } from '../addresses.ts'
import { LinkTag } from '../components/device-state.tsx'
import { useGateway } from './use-sub-devices.ts'

/** The gateway that speaks for a device. */
export function MyGateway({ device }: { device: DeviceView }) {
  const { t } = useTranslation('sub-devices')
  const { data, error, refetch } = useGateway(device.id)
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active paragraph={{ rows: 3 }} />
  const { gateway, subAddress } = data
  return (
    <Panel title={t('myGateway')} hint={t('myGatewayHint')}>
      {gateway ? (
        <Facts
          items={[
            {
              label: t('gateway'),
              value: (
                <Link to={`${deviceAddress(gateway.id)}&tab=subDevices`} dir="auto">
                  {gateway.name}
                </Link>
              ),
            },
            { label: t('gatewayNo'), value: <code>{gateway.deviceNo}</code> },
            { label: t('state'), value: <LinkTag device={gateway} /> },
            { label: t('address'), value: <code>{subAddress ?? device.deviceNo}</code> },
          ]}
        />
      ) : (
        <EmptyState title={t('noGateway')} description={t('noGatewayText')} />
      )}
    </Panel>
  )
}
