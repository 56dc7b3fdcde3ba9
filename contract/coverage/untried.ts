/** What nothing reaches, and why. */
interface Untried {
  readonly why: string;
  /** Names of cells; `a|b` in a word of one stands for two of them. */
  readonly cells: readonly string[];
}

/** Every cell that no rule reaches at the bundled pair and that the documents leave room for. A cell that is reached has no place here. */
export const untried: readonly Untried[] = [
  {
    why: 'the token of a call is tried at one read, edits that succeed and creates',
    cells: [
      'instanceShort 403|404 stranger',
      'instanceLong|page 200|403|404 stranger',
      'create 403|404 stranger',
      'put 403|404|409|412 stranger',
      'demote success|403|404|409|412 stranger',
      'merge 403|404|409|412 stranger',
      'operations 403|404|409|412|refusal stranger',
      'delete success|403|404 stranger',
      'multiCreate 403|refusal stranger',
      'batch 403|500 stranger',
      'promote 403|404|409|412 stranger',
      'lockTake|lockFree success stranger',
      'openApiDynamic 200 stranger',
    ],
  },
  {
    why: 'somebody is tried who has the same rights',
    cells: [
      'delete 404 spaceAdministrator',
      'instanceShort|page|merge|delete 404 secondEditor',
      'instanceLong 404 secondEditor',
      'create 404 secondEditor',
      'create 404 spaceAdministrator',
      'put 404 secondEditor',
      'operations 404|412|refusal secondEditor',
      'lockTake|lockFree|userUpload|participantUpload|participantDelete success spaceAdministrator',
      'multiCreate refusal secondEditor',
      'spaceUpload success secondEditor|spaceAdministrator',
      'spaceChunk|spaceDownload|spaceDelete refusal|success secondEditor|spaceAdministrator',
      'userChunk|participantChunk success spaceAdministrator',
      'userChunk|participantChunk refusal secondEditor|spaceAdministrator',
      'promote 404 secondEditor',
      'demote 404|409|412 secondEditor',
      'demote 409|412 spaceAdministrator',
      'spaceDirectory|userDelete|userDirectory|participantDirectory success secondEditor|spaceAdministrator',
      'userUpload refusal secondEditor|spaceAdministrator',
      'participantDelete refusal spaceAdministrator',
      'userDownload|participantDownload refusal|success spaceAdministrator',
      'userDelete refusal spaceAdministrator',
    ],
  },
  {
    why: 'whether strangers learn what exists is not said',
    cells: [
      'instanceShort|instanceLong|page|create|put|merge|operations|delete|promote|demote|lockTake|lockFree 404 outsider|noRole|administrator',
    ],
  },
  {
    why: 'a false credential is tried at other routes of the kind',
    cells: ['openApiDynamic 401 stranger'],
  },
  {
    why: 'which of role and object is looked at first is not said',
    cells: ['create|put|merge|operations|delete|promote|demote|lockTake|lockFree 404 reader'],
  },
  {
    why: 'whether the role opens it is not said',
    cells: ['batch 403 reader'],
  },
  {
    why: 'the route is withheld: promote is asked about objects that are not there',
    cells: ['demote 404 editor'],
  },
  {
    why: 'the routes are withheld: they are tried as far as others need them',
    cells: [
      'lockTake|lockFree 401 nobody|stranger',
      'lockTake|lockFree 403 stranger|outsider|noRole|administrator',
      'lockTake|lockFree 404 stranger|editor|secondEditor|spaceAdministrator',
    ],
  },
  {
    why: 'whether the definitions need a role is not said',
    cells: ['openApiDynamic 403 stranger|outsider'],
  },
  {
    why: 'who may see the definitions is not said',
    cells: ['openApiStatic 200 stranger|secondEditor|reader|outsider|noRole|administrator'],
  },
  {
    why: 'the token of a call is tried in the area of its space',
    cells: [
      'collectionRead 200|304|403 stranger',
      'collectionWrite|collectionDirectory|userDirectory|participantDirectory success stranger',
      'collectionUpload|collectionChunk|collectionDownload|collectionDelete|userUpload|userChunk|userDelete|participantUpload|participantChunk|participantDownload|participantDelete|registerTrusted|registerExtension success|403|refusal stranger',
      'userDownload 403|refusal stranger',
      'registerEndpoint|acquireKeys success|refusal stranger',
      'acquireKeys 401 stranger',
      'taskStatus|taskProgress 403 stranger',
    ],
  },
  {
    why: 'the editor is tried, who lacks the same',
    cells: ['acquireKeys 403 secondEditor|reader|outsider|noRole|spaceAdministrator'],
  },
  {
    why: 'the routes are withheld: reads are asked who may, and one other user is tried at a write',
    cells: [
      'collectionWrite 401 stranger',
      'collectionWrite 403 stranger|secondEditor|reader|outsider|noRole|spaceAdministrator',
    ],
  },
  {
    why: 'the answer is withheld: it is asked once, and without a credential',
    cells: [
      'collectionDirectory|userDirectory|participantDirectory 401 stranger',
      'collectionDirectory 403 stranger',
      'spaceDirectory|userDirectory|participantDirectory 403 stranger|editor|secondEditor|reader|noRole|administrator|spaceAdministrator',
    ],
  },
  {
    why: 'which role opens an area is not said',
    cells: [
      'spaceUpload|spaceChunk|spaceDownload|spaceDelete|userUpload|userChunk|userDownload|userDelete|participantUpload|participantChunk|participantDownload|participantDelete success|refusal reader|outsider|noRole|administrator',
      'spaceUpload|participantUpload 403 reader|noRole',
      'spaceChunk|spaceDownload|spaceDelete|userUpload|userChunk|userDownload|userDelete|participantChunk|participantDownload|participantDelete 403 reader|noRole|administrator',
      'spaceDirectory|userDirectory|participantDirectory success reader|outsider|noRole|administrator',
    ],
  },
  {
    why: 'the token of a call is tried where it is allowed',
    cells: [
      'spaceUpload|spaceChunk|spaceDownload|spaceDelete 403 stranger',
      'spaceChunk|spaceDownload|spaceDelete refusal stranger',
    ],
  },
  {
    why: 'the area is open to them',
    cells: [
      'spaceUpload|spaceChunk|spaceDownload|spaceDelete|userUpload|userChunk|userDownload|userDelete 403 editor|secondEditor|spaceAdministrator',
      'participantChunk 403 secondEditor|spaceAdministrator',
      'participantUpload|participantDownload|participantDelete 403 secondEditor|spaceAdministrator',
    ],
  },
  {
    why: 'a key is tried where it opens the route',
    cells: ['acquireKeys 403|refusal key'],
  },
  {
    why: 'a task reports with the token of its call: another is tried once',
    cells: [
      'taskStatus success|refusal secondEditor',
      'taskProgress refusal secondEditor',
      'taskStatus|taskProgress refusal editor',
    ],
  },
  {
    why: 'the outsider is tried: who else may report is not said',
    cells: ['taskStatus|taskProgress 403 editor|secondEditor|reader|noRole|administrator|spaceAdministrator'],
  },
  {
    why: 'nothing there calls an extension, and the log is asked about other routes',
    cells: [
      'page|delete|demote|lockTake|lockFree|openApiStatic|collectionRead|collectionWrite|registerEndpoint|registerTrusted|registerExtension|acquireKeys|taskStatus|taskProgress with X-Correlation-Id',
    ],
  },
  {
    why: 'whether it is asked for there is not said',
    cells: ['lockTake|lockFree|taskStatus|taskProgress without Svc-InformationFilter'],
  },
  {
    why: 'one area is tried: what is refused there is the same in all',
    cells: ['collectionChunk|spaceChunk|participantChunk without checksum'],
  },
  {
    why: 'the signing key makes one; Basic is recorded',
    cells: ['profile auth.expiredToken|auth.basicOnCoreRoutes'],
  },
  {
    why: 'its identities get theirs from the grant, and have the roles of the documents',
    cells: [
      'profile identities.editor.token|identities.secondEditor.token|identities.reader.token|identities.outsider.token',
      'profile identities.outsider.methods|identities.noRole.token|identities.noRole.methods|identities.administrator.token',
      'profile identities.administrator.methods|identities.spaceAdministrator.token|identities.spaceAdministrator.methods',
      'profile secondSpace.as',
    ],
  },
  {
    why: 'tried out, or as the documents show it',
    cells: [
      'profile informationFilter.dateForm|informationFilter.notNeededOn|collection.ownProfile|batch.hrefForm|multiCreate.resultId',
      'profile multiCreate.resultInBatch',
    ],
  },
  {
    why: 'its SoftTypes are the usual case; tests of the package have others',
    cells: [
      'profile softTypes.primary.shortRouteSchemaId|softTypes.primary.object.body|softTypes.primary.arrayPort.portId',
      'profile softTypes.primary.arrayPort.sectionPath|softTypes.primary.arrayPort.nested.portId|softTypes.primary.secondArrayPort.portId',
      'profile softTypes.primary.secondArrayPort.sectionPath|softTypes.primary.secondArrayPort.mandatory',
      'profile softTypes.primary.secondArrayPort.nested.member|softTypes.primary.secondArrayPort.nested.entry',
      'profile softTypes.primary.secondArrayPort.nested.text|softTypes.primary.secondArrayPort.nested.portId',
      'profile softTypes.primary.secondArrayPort.numbers|softTypes.primary.secondArrayPort.flags',
      'profile softTypes.primary.secondArrayPort.nested.numbers|softTypes.primary.secondArrayPort.nested.flags',
      'profile softTypes.primary.secondArrayPort.object.numbers|softTypes.primary.secondArrayPort.object.flags',
      'profile softTypes.primary.arrayPort.object.body|softTypes.primary.secondArrayPort.object.member',
      'profile softTypes.primary.secondArrayPort.object.scalars|softTypes.primary.secondArrayPort.object.body',
      'profile softTypes.primary.reference.single|softTypes.others|filters.softType|maturity.softType',
      'profile maturity.frozenStates',
    ],
  },
  {
    why: 'the bundled server does as is usual unless a profile says otherwise',
    cells: [
      'profile routes.registrationIdPath|files.minChunkSize|files.maxStreamSize|files.chunkOrder|files.chunkChecksumRequired',
      'profile files.basicOnDelete|files.dir|bulk.hostDirectory.mountedAt|bulk.routePrefix|bulk.signatureIncludesBasePath',
      'profile bulk.completionSeconds|apiKeys.callbackTimeoutSeconds|apiKeys.overlapSeconds|tasks.inputPath',
      'profile tasks.state|tasks.message|tasks.states.completed|tasks.states.failed|tasks.timeoutSetting',
      'profile tasks.timeoutClock',
    ],
  },
  {
    why: 'both run on one machine, without a gateway',
    cells: [
      'profile tls.issuer|tls.certificate|tls.key|tls.passphrase|proxy|allowHosts|listener.tls.certificate|listener.tls.key|triggers.subscribedAs|triggers.carryHeaders',
      'profile delivery.granularitySeconds',
    ],
  },
  {
    why: 'the bundled host has one record of each type, and the usual answers',
    cells: [
      'profile extensionHost.refusalStatus|extensionHost.signatureIncludesBasePath|extensionHost.objects',
      'profile extensionHost.jobSettings|extensionHost.samples.eventRecord|extensionHost.samples.validation.record',
      'profile extensionHost.samples.action.success.record|extensionHost.samples.action.failure.record',
      'profile extensionHost.samples.action.batch.record|extensionHost.samples.task.success.inputBase64',
      'profile extensionHost.samples.task.success.record|extensionHost.samples.task.success.hasOutput',
      'profile extensionHost.samples.task.failure.inputBase64|extensionHost.samples.task.failure.record',
      'profile extensionHost.samples.emailRecord|extensionHost.samples.task.seconds',
      'profile extensionHost.queryTokenName',
    ],
  },
  {
    why: 'the log is read by its address',
    cells: ['profile probes.log.file'],
  },
  {
    why: 'the bundled pair records what is not decided; tests of the package bind it',
    cells: [
      'profile expect.putSuccess|expect.operationsPatchSuccess|expect.operationsPatchFailure|expect.deleteSuccess',
      'profile expect.demoteSuccess|expect.methodNotAllowed|expect.malformedJson|expect.invalidContent',
      'profile expect.invalidBody|expect.unknownMember|expect.unknownSoftTypeInPath|expect.mismatchedRoute',
      'profile expect.unsupportedMediaType|expect.patchRouteMismatch|expect.unknownSpace|expect.unusableToken',
      'profile expect.grantErrors|expect.unknownScope|expect.informationFilterMissing|expect.informationFilterMalformed',
      'profile expect.invalidVersionHeader|expect.pageOutOfRange|expect.pageInvalid|expect.unknownFilter',
      'profile expect.filterValueMissing|expect.removeMissingTarget|expect.openApiWithoutToken|expect.promoteInLastState',
      'profile expect.collectionWriteWithoutVersion|expect.registrationSuccess|expect.registrationInvalid',
      'profile expect.validationNegative|expect.validationFailed|expect.signatureIncludesBasePath|expect.queryTokenName',
      'profile expect.emailTimeoutSeconds|expect.retriesTimeouts|expect.retriesTooManyRequests|expect.retriesActions|expect.retriesOtherSuccess',
      'profile expect.ratePauseStart|expect.rateCountsRetries|expect.rateScope|expect.batchEmpty|expect.batchNoArray',
      'profile expect.multiCreateSuccess|expect.multiCreateTooMany|expect.multiCreateEmpty|expect.multiCreateUnknownReference',
      'profile expect.multiCreateDuplicateId|expect.errorMediaType|expect.uriForm|expect.mergeNull|expect.mergeNested',
      'profile expect.mergeArray|expect.systemMembersInBody|expect.systemMembersOnWrite|expect.noOpRaisesVersion',
      'profile expect.deleteVersionHeader|expect.severalValidations|expect.duringValidation|expect.callsAtOnce',
    ],
  },
  {
    why: 'the usual limits do for it',
    cells: [
      'profile limits.requestsPerSecond|limits.concurrency|limits.requestTimeoutSeconds|limits.caseSeconds',
      'profile limits.totalSeconds|limits.timeBudgetSeconds',
    ],
  },
  {
    why: 'the bundled pair claims nothing, and takes headers that it does not know',
    cells: ['profile claims|tracing'],
  },
  {
    why: 'links may be tried on it',
    cells: ['profile probeWriteLinks'],
  },
];
