import { type CenterTab, registerCenterTabs } from '../../lib/center-tabs.ts'
import { type CompanyTab, registerCompanyTabs } from '../../lib/company-tabs.ts'
import { type DeviceTab, registerDeviceTabs } from '../../lib/device-tabs.ts'
import { type ProductTab, registerProductTabs } from '../../lib/product-tabs.ts'

/** What areas put into the company account: `features/<area>/company-tab.ts` exports `companyTab`, downloaded when opened. */
const ofCompany = import.meta.glob('../../features/*/company-tab.ts', { eager: true, import: 'companyTab' }) as Record<
  string,
  CompanyTab
>
registerCompanyTabs(Object.values(ofCompany))

/** What areas put into the device centre: `features/<area>/device-tab.ts` exports `deviceTab`, its page downloaded later. */
const ofDevices = import.meta.glob('../../features/*/device-tab.ts', { eager: true, import: 'deviceTab' }) as Record<
  string,
  DeviceTab
>
registerDeviceTabs(Object.values(ofDevices))

/** What areas put into the centre of an end user: `features/<area>/center-tabs.ts` exports `centerTabs`. */
const ofCenter = import.meta.glob('../../features/*/center-tabs.ts', { eager: true, import: 'centerTabs' }) as Record<
  string,
  readonly CenterTab[]
>
registerCenterTabs(Object.values(ofCenter).flat())

/** What areas put into a product's information: `features/<area>/product-tab.ts` exports `productTab`. */
const ofProducts = import.meta.glob('../../features/*/product-tab.ts', { eager: true, import: 'productTab' }) as Record<
  string,
  ProductTab
>
registerProductTabs(Object.values(ofProducts))
