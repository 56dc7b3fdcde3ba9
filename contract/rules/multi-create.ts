import { rules } from '../rule.ts';

export const multiCreateRules = rules('multi-create', {
  'multi-create.route.served-without-api-prefix': {
    level: 'must',
    source: 'core: Endpoint table, POST softtype list; Multi-create rules 1',
    statement:
      'POST of an array of items to `/space/{spaceId}/softtype`, a path without the `api` prefix, creates the instances and answers with success.',
    check:
      'Send one item and two items to the documented path; success, objects readable. Record whether the path with prefix works alike, and the exact status.',
    fault: 'only the path with the api prefix is routed',
    needs: ['soft-type', 'multi-create-result'],
  },
  'multi-create.items.all-created': {
    level: 'must',
    source: 'core: Multi-create rules 1; Versioning 2',
    statement: 'Every item becomes an object of its own with the given `data`, at version 1.',
    check:
      '1, 2, 10 items of generated content: as many objects as items, each with its content, `$softType` and version 1; the order of items does not matter.',
    fault: 'items with equal data are created once',
    needs: ['soft-type', 'scalar-members', 'multi-create-result'],
    style: 'property',
    after: ['multi-create.route.served-without-api-prefix'],
  },
  'multi-create.items.different-types': {
    level: 'must',
    source: 'core: Multi-create rules 2; Multi-create item, $softType',
    statement: 'Items of one request may be of different SoftTypes; `$softType` of each decides.',
    check: 'Two items of each of two types, interleaved; each object has the `$softType` of its item.',
    fault: 'the type of the first item is used for all',
    needs: ['soft-type', 'second-soft-type', 'multi-create-result'],
    after: ['multi-create.items.all-created'],
  },
  'multi-create.reference.backward': {
    level: 'must',
    source: 'core: Multi-create rules 2; Multi-create item',
    statement: 'An item may refer by `instanceRef` to the `$id` of an item that stands before it.',
    check:
      'Target first, referrer second: the stored reference of the referrer leads to the target and to no other object of the request.',
    fault: 'references are stored but point to the referrer itself',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['multi-create.items.all-created'],
  },
  'multi-create.reference.forward': {
    level: 'must',
    source: 'core: Multi-create rules 2; Multi-create item',
    statement: 'An item may refer to an item that stands after it.',
    check: 'The same two items in the reverse order give the same result as in the backward case.',
    fault: 'items are resolved in one pass from front to back',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['multi-create.reference.backward'],
  },
  'multi-create.reference.mutual': {
    level: 'must',
    source: 'core: Multi-create rules 2 (each other)',
    statement: 'Two items may refer to each other in one request.',
    check:
      'A refers to B and B to A; both references are stored. Cycles of three are sent too where the ports allow; an item that refers to itself is recorded.',
    fault: 'cycles are refused',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'mutual-reference', 'multi-create-result'],
    after: ['multi-create.reference.forward'],
  },
  'multi-create.reference.stores-real-identity': {
    level: 'must',
    source: 'core: Multi-create item, $id (used only inside the request)',
    statement:
      'After the request references hold the lasting identity of the target, and `$id` has no meaning any more.',
    check:
      'Use telling `$id` texts: no read response of the created objects contains them, the reference names the `$oid` of the target, GET with an `$id` as object id is 404. A later multi-create cannot refer to an `$id` of an earlier one.',
    fault: 'the temporary id is stored as reference value',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['multi-create.reference.backward'],
  },
  'multi-create.id.reusable-in-next-request': {
    level: 'must',
    source: 'core: Multi-create item, $id (temporary)',
    statement: 'The same `$id` in two requests stands for two different objects.',
    check:
      'Send the same body twice, also in parallel: twice the objects, and references stay inside their own request.',
    fault: 'temporary ids are kept in one table for all requests',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    style: 'concurrency',
    after: ['multi-create.reference.backward'],
  },
  'multi-create.graph.every-edge-stored': {
    level: 'must',
    source: 'core: Multi-create rules 1 and 2',
    statement: 'For any reference graph over the items exactly the references given are stored.',
    check:
      'Random graphs of 2 to 50 items (chains, stars, cycles where possible, isolated items): compare the edges read back with the edges sent.',
    fault: 'an item referred to by several others keeps the last reference only',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    style: 'property',
    after: ['multi-create.reference.forward'],
  },
  'multi-create.size.fifty-accepted': {
    level: 'must',
    source: 'core: Multi-create rules 3; Limits',
    statement: 'A request of exactly 50 items is accepted.',
    check: '50 small items: success and 50 readable objects. 49 likewise.',
    fault: 'the limit is exclusive, so 50 items are refused',
    needs: ['soft-type', 'multi-create-result'],
    after: ['multi-create.items.all-created'],
  },
  'multi-create.size.fifty-one-refused': {
    level: 'must',
    source: 'core: Multi-create rules 3; Limits',
    statement: 'A request of 51 items is refused and creates nothing.',
    check:
      '51 small items: status 400 or above (which one is recorded), no more objects in the listing than before where one exists. Then the first 50 of them succeed. Success with 50 of 51 objects is a breach.',
    fault: 'creates the first 50 items and drops the rest',
    needs: ['soft-type', 'multi-create-result'],
    after: ['multi-create.size.fifty-accepted'],
  },
  'multi-create.failure.creates-nothing': {
    level: 'must',
    source: 'core: Multi-create rules 1 (one change set)',
    statement: 'When one item cannot be created none is.',
    check:
      'Valid items with an invalid one (unknown SoftType) first, in the middle and last: refused, listing as before. The request without it succeeds. Where no listing exists the check is inconclusive, not green.',
    fault: 'items before the invalid one are kept',
    needs: ['soft-type', 'multi-create-result', 'instance-listing'],
    after: ['multi-create.items.all-created'],
  },
  'multi-create.references.odd-targets': {
    level: 'observe',
    source: 'core: Multi-create item; Multi-create rules 2',
    statement:
      'Not described: an `instanceRef` that no item has, two items with one `$id`, an item without `$id`, a `softTypeId` that differs from the type of the target, a reference to an object that already exists, an empty list, a body that is no array.',
    check: 'Send each and record status and what was created.',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
  },
  'multi-create.response.shape': {
    level: 'observe',
    source: 'core: Endpoint table, POST softtype list (response)',
    statement: 'Status, headers and body of a successful multi-create are not described.',
    check:
      'Record status, Location, the version header (the header table promises one on every POST) and the keys of the body.',
    needs: ['soft-type', 'multi-create-result'],
  },
});
