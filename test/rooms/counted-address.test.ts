import { expect, it } from 'vitest'
import { countedAddress, networkOf } from '../../core/values/counted-address.ts'

it.each([
  ['1.2.3.4', '1.2.3.4', '1.2.3'],
  ['::ffff:1.2.3.4', '1.2.3.4', '1.2.3'],
  ['::FFFF:102:304', '1.2.3.4', '1.2.3'],
  ['0:0:0:0:0:ffff:0102:0304', '1.2.3.4', '1.2.3'],
  ['0000:0000:0000:0000:0000:ffff:1.2.3.4', '1.2.3.4', '1.2.3'],
  ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
  ['2001:0DB8:0:0:ffff::9', '2001:db8:0:0', '2001:db8:0'],
  ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
  ['::1', '0:0:0:0', '0:0:0'],
  ['64:ff9b::1.2.3.4', '64:ff9b:0:0', '64:ff9b:0'],
])('the address %s counts as %s, in the network %s', (address, counted, network) => {
  expect([countedAddress(address), networkOf(address)]).toEqual([counted, network])
})
