/* The part of LLVM's C API that typemeta calls, for LLVM 19 to 23.
 *
 * Read by the build hook (hatch_build.py), never by a C compiler. Handles are declared as integers:
 * calls get 10 to 25 % faster than with pointers, and handles fit into numpy arrays. Functions that
 * only some versions have are marked; cffi looks each one up when it is first called.
 */

typedef uintptr_t LLVMContextRef;
typedef uintptr_t LLVMModuleRef;
typedef uintptr_t LLVMTypeRef;
typedef uintptr_t LLVMValueRef;
typedef uintptr_t LLVMBasicBlockRef;
typedef uintptr_t LLVMMetadataRef;
typedef uintptr_t LLVMNamedMDNodeRef;
typedef uintptr_t LLVMBuilderRef;
typedef uintptr_t LLVMMemoryBufferRef;
typedef uintptr_t LLVMUseRef;
typedef uintptr_t LLVMAttributeRef;
typedef uintptr_t LLVMComdatRef;
typedef uintptr_t LLVMDiagnosticInfoRef;
typedef uintptr_t LLVMTargetRef;
typedef uintptr_t LLVMTargetMachineRef;
typedef uintptr_t LLVMTargetDataRef;
typedef uintptr_t LLVMErrorRef;
typedef uintptr_t LLVMPassBuilderOptionsRef;
typedef uintptr_t LLVMOrcLLJITRef;
typedef uintptr_t LLVMOrcLLJITBuilderRef;
typedef uintptr_t LLVMOrcJITDylibRef;
typedef uintptr_t LLVMOrcDefinitionGeneratorRef;
typedef struct LLVMModuleFlagEntry LLVMModuleFlagEntry;
typedef struct LLVMValueMetadataEntry LLVMValueMetadataEntry;
typedef int LLVMBool;
typedef void (*LLVMFatalErrorHandler)(const char *Reason);
typedef void (*LLVMDiagnosticHandler)(LLVMDiagnosticInfoRef, void *);

/* library.py: version, messages, fatal errors */
void LLVMGetVersion(unsigned *Major, unsigned *Minor, unsigned *Patch);
void LLVMDisposeMessage(char *Message);
char *LLVMGetErrorMessage(LLVMErrorRef Err);
void LLVMDisposeErrorMessage(char *ErrMsg);
void LLVMInstallFatalErrorHandler(LLVMFatalErrorHandler Handler);
unsigned LLVMGetMDKindIDInContext(LLVMContextRef C, const char *Name, unsigned SLen);

/* context.py: contexts and diagnostics */
LLVMContextRef LLVMContextCreate(void);
void LLVMContextDispose(LLVMContextRef C);
void LLVMContextSetDiagnosticHandler(LLVMContextRef C, LLVMDiagnosticHandler Handler, void *DiagnosticContext);
char *LLVMGetDiagInfoDescription(LLVMDiagnosticInfoRef DI);
int LLVMGetDiagInfoSeverity(LLVMDiagnosticInfoRef DI);

/* module.py: reading, writing, linking, verifying */
LLVMMemoryBufferRef LLVMCreateMemoryBufferWithMemoryRangeCopy(const char *InputData, size_t InputDataLength,
                                                              const char *BufferName);
const char *LLVMGetBufferStart(LLVMMemoryBufferRef MemBuf);
size_t LLVMGetBufferSize(LLVMMemoryBufferRef MemBuf);
void LLVMDisposeMemoryBuffer(LLVMMemoryBufferRef MemBuf);
LLVMBool LLVMParseIRInContext(LLVMContextRef C, LLVMMemoryBufferRef MemBuf, LLVMModuleRef *OutM,
                              char **OutMessage);
LLVMModuleRef LLVMModuleCreateWithNameInContext(const char *ModuleID, LLVMContextRef C);
void LLVMDisposeModule(LLVMModuleRef M);
LLVMModuleRef LLVMCloneModule(LLVMModuleRef M);
char *LLVMPrintModuleToString(LLVMModuleRef M);
char *LLVMPrintValueToString(LLVMValueRef Val);
LLVMMemoryBufferRef LLVMWriteBitcodeToMemoryBuffer(LLVMModuleRef M);
LLVMBool LLVMVerifyModule(LLVMModuleRef M, int Action, char **OutMessage);
LLVMBool LLVMLinkModules2(LLVMModuleRef Dest, LLVMModuleRef Src);
const char *LLVMGetTarget(LLVMModuleRef M);
void LLVMSetTarget(LLVMModuleRef M, const char *Triple);
const char *LLVMGetDataLayoutStr(LLVMModuleRef M);
void LLVMSetDataLayout(LLVMModuleRef M, const char *DataLayoutStr);
LLVMTargetDataRef LLVMGetModuleDataLayout(LLVMModuleRef M);
void LLVMSetModuleIdentifier(LLVMModuleRef M, const char *Ident, size_t Len);
LLVMModuleFlagEntry *LLVMCopyModuleFlagsMetadata(LLVMModuleRef M, size_t *Len);
void LLVMDisposeModuleFlagsMetadata(LLVMModuleFlagEntry *Entries);
const char *LLVMModuleFlagEntriesGetKey(LLVMModuleFlagEntry *Entries, unsigned Index, size_t *Len);
LLVMMetadataRef LLVMModuleFlagEntriesGetMetadata(LLVMModuleFlagEntry *Entries, unsigned Index);

/* module.py: what a module holds */
LLVMValueRef LLVMGetFirstFunction(LLVMModuleRef M);
LLVMValueRef LLVMGetNextFunction(LLVMValueRef Fn);
LLVMValueRef LLVMGetFirstGlobal(LLVMModuleRef M);
LLVMValueRef LLVMGetNextGlobal(LLVMValueRef GlobalVar);
LLVMValueRef LLVMGetFirstGlobalAlias(LLVMModuleRef M);
LLVMValueRef LLVMGetNextGlobalAlias(LLVMValueRef GA);
LLVMValueRef LLVMGetFirstGlobalIFunc(LLVMModuleRef M);
LLVMValueRef LLVMGetNextGlobalIFunc(LLVMValueRef IFunc);
LLVMValueRef LLVMGetNamedFunction(LLVMModuleRef M, const char *Name);
LLVMValueRef LLVMGetNamedGlobal(LLVMModuleRef M, const char *Name);
LLVMValueRef LLVMGetNamedGlobalAlias(LLVMModuleRef M, const char *Name, size_t NameLen);

/* values: facts */
const char *LLVMGetValueName2(LLVMValueRef Val, size_t *Length);
void LLVMSetValueName2(LLVMValueRef Val, const char *Name, size_t NameLen);
LLVMTypeRef LLVMTypeOf(LLVMValueRef Val);
LLVMTypeRef LLVMGlobalGetValueType(LLVMValueRef Global);
int LLVMGetLinkage(LLVMValueRef Global);
void LLVMSetLinkage(LLVMValueRef Global, int Linkage);
int LLVMGetVisibility(LLVMValueRef Global);
void LLVMSetVisibility(LLVMValueRef Global, int Viz);
const char *LLVMGetSection(LLVMValueRef Global);
void LLVMSetSection(LLVMValueRef Global, const char *Section);
unsigned LLVMGetAlignment(LLVMValueRef V);
void LLVMSetAlignment(LLVMValueRef V, unsigned Bytes);
LLVMComdatRef LLVMGetComdat(LLVMValueRef V);
void LLVMSetComdat(LLVMValueRef V, LLVMComdatRef C);
LLVMBool LLVMIsDeclaration(LLVMValueRef Global);
LLVMBool LLVMIsGlobalConstant(LLVMValueRef GlobalVar);
void LLVMSetGlobalConstant(LLVMValueRef GlobalVar, LLVMBool IsConstant);
LLVMBool LLVMIsThreadLocal(LLVMValueRef GlobalVar);
LLVMValueRef LLVMGetInitializer(LLVMValueRef GlobalVar);
void LLVMSetInitializer(LLVMValueRef GlobalVar, LLVMValueRef ConstantVal);
LLVMValueRef LLVMAliasGetAliasee(LLVMValueRef Alias);
void LLVMAliasSetAliasee(LLVMValueRef Alias, LLVMValueRef Aliasee);
LLVMValueRef LLVMGetGlobalIFuncResolver(LLVMValueRef IFunc);
void LLVMSetGlobalIFuncResolver(LLVMValueRef IFunc, LLVMValueRef Resolver);
LLVMUseRef LLVMGetFirstUse(LLVMValueRef Val);
LLVMUseRef LLVMGetNextUse(LLVMUseRef U);
LLVMValueRef LLVMGetUser(LLVMUseRef U);
LLVMValueRef LLVMGetOperand(LLVMValueRef Val, unsigned Index);
void LLVMSetOperand(LLVMValueRef User, unsigned Index, LLVMValueRef Val);
int LLVMGetNumOperands(LLVMValueRef Val);
void LLVMReplaceAllUsesWith(LLVMValueRef OldVal, LLVMValueRef NewVal);
LLVMBool LLVMIsConstant(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantInt(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantExpr(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantPointerNull(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantArray(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantStruct(LLVMValueRef Val);
LLVMValueRef LLVMIsAConstantVector(LLVMValueRef Val);
LLVMValueRef LLVMIsABlockAddress(LLVMValueRef Val);
LLVMValueRef LLVMIsAGlobalValue(LLVMValueRef Val);
LLVMValueRef LLVMIsAGlobalVariable(LLVMValueRef Val);
LLVMValueRef LLVMIsAGlobalAlias(LLVMValueRef Val);
LLVMValueRef LLVMIsAFunction(LLVMValueRef Val);
LLVMValueRef LLVMIsAInstruction(LLVMValueRef Val);
LLVMValueRef LLVMIsACallInst(LLVMValueRef Val);
LLVMValueRef LLVMIsACallBrInst(LLVMValueRef Val);
LLVMValueRef LLVMIsAInvokeInst(LLVMValueRef Val);
LLVMValueRef LLVMIsAIntrinsicInst(LLVMValueRef Val);
LLVMValueRef LLVMIsALoadInst(LLVMValueRef Val);
LLVMValueRef LLVMIsAPHINode(LLVMValueRef Val);
LLVMValueRef LLVMIsASelectInst(LLVMValueRef Val);
LLVMValueRef LLVMIsAGetElementPtrInst(LLVMValueRef Val);
LLVMValueRef LLVMIsABitCastInst(LLVMValueRef Val);
LLVMValueRef LLVMIsAMDString(LLVMValueRef Val);
LLVMValueRef LLVMIsAMDNode(LLVMValueRef Val);
int LLVMGetConstOpcode(LLVMValueRef ConstantVal);
unsigned long long LLVMConstIntGetZExtValue(LLVMValueRef ConstantVal);
long long LLVMConstIntGetSExtValue(LLVMValueRef ConstantVal);
LLVMTypeRef LLVMGetGEPSourceElementType(LLVMValueRef GEP);
LLVMValueRef LLVMGetCalledValue(LLVMValueRef Instr);
LLVMTypeRef LLVMGetCalledFunctionType(LLVMValueRef C);
unsigned LLVMGetNumArgOperands(LLVMValueRef Instr);
LLVMBasicBlockRef LLVMGetInstructionParent(LLVMValueRef Inst);
LLVMValueRef LLVMGetBasicBlockParent(LLVMBasicBlockRef BB);
LLVMBasicBlockRef LLVMGetEntryBasicBlock(LLVMValueRef Fn);
LLVMValueRef LLVMGetBasicBlockTerminator(LLVMBasicBlockRef BB);
LLVMBasicBlockRef LLVMGetIncomingBlock(LLVMValueRef PhiNode, unsigned Index);
LLVMBasicBlockRef LLVMGetBlockAddressBasicBlock(LLVMValueRef BlockAddr);
LLVMValueRef LLVMGetBlockAddressFunction(LLVMValueRef BlockAddr);
LLVMValueRef LLVMBlockAddress(LLVMValueRef F, LLVMBasicBlockRef BB);
unsigned LLVMGetEnumAttributeKindForName(const char *Name, size_t SLen);
LLVMAttributeRef LLVMCreateEnumAttribute(LLVMContextRef C, unsigned KindID, uint64_t Val);
void LLVMAddAttributeAtIndex(LLVMValueRef F, unsigned Idx, LLVMAttributeRef A);
void LLVMAddCallSiteAttribute(LLVMValueRef C, unsigned Idx, LLVMAttributeRef A);
unsigned LLVMGetAttributeCountAtIndex(LLVMValueRef F, unsigned Idx);
void LLVMGetAttributesAtIndex(LLVMValueRef F, unsigned Idx, LLVMAttributeRef *Attrs);
unsigned LLVMGetFunctionCallConv(LLVMValueRef Fn);
void LLVMSetInstructionCallConv(LLVMValueRef Instr, unsigned CC);
LLVMAttributeRef LLVMGetEnumAttributeAtIndex(LLVMValueRef F, unsigned Idx, unsigned KindID);
LLVMAttributeRef LLVMGetStringAttributeAtIndex(LLVMValueRef F, unsigned Idx, const char *K, unsigned KLen);
void LLVMInstructionEraseFromParent(LLVMValueRef Inst);
void LLVMDeleteFunction(LLVMValueRef Fn);
void LLVMDeleteGlobal(LLVMValueRef GlobalVar);

/* types and the data layout */
int LLVMGetTypeKind(LLVMTypeRef Ty);
LLVMContextRef LLVMGetTypeContext(LLVMTypeRef Ty);
LLVMContextRef LLVMGetModuleContext(LLVMModuleRef M);
char *LLVMPrintTypeToString(LLVMTypeRef Val);
LLVMTypeRef LLVMIntTypeInContext(LLVMContextRef C, unsigned NumBits);
LLVMTypeRef LLVMVoidTypeInContext(LLVMContextRef C);
LLVMTypeRef LLVMPointerTypeInContext(LLVMContextRef C, unsigned AddressSpace);
LLVMTypeRef LLVMArrayType2(LLVMTypeRef ElementType, uint64_t ElementCount);
LLVMTypeRef LLVMStructTypeInContext(LLVMContextRef C, LLVMTypeRef *ElementTypes, unsigned ElementCount,
                                    LLVMBool Packed);
LLVMTypeRef LLVMFunctionType(LLVMTypeRef ReturnType, LLVMTypeRef *ParamTypes, unsigned ParamCount,
                             LLVMBool IsVarArg);
LLVMTypeRef LLVMGetReturnType(LLVMTypeRef FunctionTy);
unsigned LLVMCountParamTypes(LLVMTypeRef FunctionTy);
LLVMValueRef LLVMGetParam(LLVMValueRef Fn, unsigned Index);
void LLVMGetParamTypes(LLVMTypeRef FunctionTy, LLVMTypeRef *Dest);
LLVMBool LLVMIsFunctionVarArg(LLVMTypeRef FunctionTy);
unsigned LLVMGetIntTypeWidth(LLVMTypeRef IntegerTy);
unsigned LLVMGetPointerAddressSpace(LLVMTypeRef PointerTy);
LLVMTypeRef LLVMGetElementType(LLVMTypeRef Ty);
LLVMTypeRef LLVMStructGetTypeAtIndex(LLVMTypeRef StructTy, unsigned i);
unsigned LLVMPointerSize(LLVMTargetDataRef TD);
int LLVMByteOrder(LLVMTargetDataRef TD);
unsigned long long LLVMABISizeOfType(LLVMTargetDataRef TD, LLVMTypeRef Ty);
unsigned LLVMABIAlignmentOfType(LLVMTargetDataRef TD, LLVMTypeRef Ty);
unsigned long long LLVMOffsetOfElement(LLVMTargetDataRef TD, LLVMTypeRef StructTy, unsigned Element);
LLVMBool LLVMTypeIsSized(LLVMTypeRef Ty);

/* metadata.py */
LLVMValueMetadataEntry *LLVMGlobalCopyAllMetadata(LLVMValueRef Value, size_t *NumEntries);
void LLVMDisposeValueMetadataEntries(LLVMValueMetadataEntry *Entries);
unsigned LLVMValueMetadataEntriesGetKind(LLVMValueMetadataEntry *Entries, unsigned Index);
LLVMMetadataRef LLVMValueMetadataEntriesGetMetadata(LLVMValueMetadataEntry *Entries, unsigned Index);
void LLVMGlobalEraseMetadata(LLVMValueRef Global, unsigned Kind);
LLVMValueRef LLVMMetadataAsValue(LLVMContextRef C, LLVMMetadataRef MD);
LLVMMetadataRef LLVMValueAsMetadata(LLVMValueRef Val);
int LLVMGetMetadataKind(LLVMMetadataRef Metadata);
unsigned LLVMGetMDNodeNumOperands(LLVMValueRef V);
void LLVMGetMDNodeOperands(LLVMValueRef V, LLVMValueRef *Dest);
const char *LLVMGetMDString(LLVMValueRef V, unsigned *Length);
LLVMMetadataRef LLVMMDStringInContext2(LLVMContextRef C, const char *Str, size_t SLen);
LLVMMetadataRef LLVMMDNodeInContext2(LLVMContextRef C, LLVMMetadataRef *MDs, size_t Count);
void LLVMGlobalSetMetadata(LLVMValueRef Global, unsigned Kind, LLVMMetadataRef MD);

/* edit.py: constants, globals, instructions */
LLVMValueRef LLVMConstInt(LLVMTypeRef IntTy, unsigned long long N, LLVMBool SignExtend);
LLVMValueRef LLVMConstNull(LLVMTypeRef Ty);
LLVMValueRef LLVMGetUndef(LLVMTypeRef Ty);
LLVMValueRef LLVMConstStringInContext2(LLVMContextRef C, const char *Str, size_t Length,
                                       LLVMBool DontNullTerminate);
LLVMValueRef LLVMConstArray2(LLVMTypeRef ElementTy, LLVMValueRef *ConstantVals, uint64_t Length);
LLVMValueRef LLVMConstStructInContext(LLVMContextRef C, LLVMValueRef *ConstantVals, unsigned Count,
                                      LLVMBool Packed);
LLVMValueRef LLVMConstNamedStruct(LLVMTypeRef StructTy, LLVMValueRef *ConstantVals, unsigned Count);
LLVMValueRef LLVMConstGEP2(LLVMTypeRef Ty, LLVMValueRef ConstantVal, LLVMValueRef *ConstantIndices,
                           unsigned NumIndices);
LLVMValueRef LLVMConstInBoundsGEP2(LLVMTypeRef Ty, LLVMValueRef ConstantVal, LLVMValueRef *ConstantIndices,
                                   unsigned NumIndices);
LLVMValueRef LLVMConstIntToPtr(LLVMValueRef ConstantVal, LLVMTypeRef ToType);
LLVMValueRef LLVMConstPtrToInt(LLVMValueRef ConstantVal, LLVMTypeRef ToType);
LLVMValueRef LLVMAddGlobal(LLVMModuleRef M, LLVMTypeRef Ty, const char *Name);
LLVMValueRef LLVMAddFunction(LLVMModuleRef M, const char *Name, LLVMTypeRef FunctionTy);
LLVMValueRef LLVMAddAlias2(LLVMModuleRef M, LLVMTypeRef ValueTy, unsigned AddrSpace, LLVMValueRef Aliasee,
                           const char *Name);
LLVMValueRef LLVMGetInlineAsm(LLVMTypeRef Ty, const char *AsmString, size_t AsmStringSize,
                              const char *Constraints, size_t ConstraintsSize, LLVMBool HasSideEffects,
                              LLVMBool IsAlignStack, int Dialect, LLVMBool CanThrow);
LLVMBasicBlockRef LLVMAppendBasicBlockInContext(LLVMContextRef C, LLVMValueRef Fn, const char *Name);
LLVMBuilderRef LLVMCreateBuilderInContext(LLVMContextRef C);
void LLVMDisposeBuilder(LLVMBuilderRef Builder);
void LLVMPositionBuilderBefore(LLVMBuilderRef Builder, LLVMValueRef Instr);
void LLVMPositionBuilderAtEnd(LLVMBuilderRef Builder, LLVMBasicBlockRef Block);
LLVMValueRef LLVMBuildPtrToInt(LLVMBuilderRef B, LLVMValueRef Val, LLVMTypeRef DestTy, const char *Name);
LLVMValueRef LLVMBuildSub(LLVMBuilderRef B, LLVMValueRef LHS, LLVMValueRef RHS, const char *Name);
LLVMValueRef LLVMBuildShl(LLVMBuilderRef B, LLVMValueRef LHS, LLVMValueRef RHS, const char *Name);
LLVMValueRef LLVMBuildAnd(LLVMBuilderRef B, LLVMValueRef LHS, LLVMValueRef RHS, const char *Name);
LLVMValueRef LLVMBuildTrunc(LLVMBuilderRef B, LLVMValueRef Val, LLVMTypeRef DestTy, const char *Name);
LLVMValueRef LLVMBuildICmp(LLVMBuilderRef B, int Op, LLVMValueRef LHS, LLVMValueRef RHS, const char *Name);
LLVMValueRef LLVMBuildSelect(LLVMBuilderRef B, LLVMValueRef If, LLVMValueRef Then, LLVMValueRef Else,
                             const char *Name);
LLVMValueRef LLVMBuildLoad2(LLVMBuilderRef B, LLVMTypeRef Ty, LLVMValueRef PointerVal, const char *Name);
LLVMValueRef LLVMBuildStore(LLVMBuilderRef B, LLVMValueRef Val, LLVMValueRef Ptr);
LLVMValueRef LLVMBuildGEP2(LLVMBuilderRef B, LLVMTypeRef Ty, LLVMValueRef Pointer, LLVMValueRef *Indices,
                           unsigned NumIndices, const char *Name);
LLVMValueRef LLVMBuildGEPWithNoWrapFlags(LLVMBuilderRef B, LLVMTypeRef Ty, LLVMValueRef Pointer,
                                         LLVMValueRef *Indices, unsigned NumIndices, const char *Name,
                                         unsigned Flags);
unsigned LLVMGEPGetNoWrapFlags(LLVMValueRef GEP);
LLVMValueRef LLVMConstVector(LLVMValueRef *ScalarConstantVals, unsigned Size);
LLVMBool LLVMHasPersonalityFn(LLVMValueRef Fn);
LLVMValueRef LLVMGetPersonalityFn(LLVMValueRef Fn);
void LLVMSetPersonalityFn(LLVMValueRef Fn, LLVMValueRef PersonalityFn);
LLVMBool LLVMHasPrefixData(LLVMValueRef Fn);
LLVMValueRef LLVMGetPrefixData(LLVMValueRef Fn);
void LLVMSetPrefixData(LLVMValueRef Fn, LLVMValueRef prefixData);
LLVMBool LLVMHasPrologueData(LLVMValueRef Fn);
LLVMValueRef LLVMGetPrologueData(LLVMValueRef Fn);
void LLVMSetPrologueData(LLVMValueRef Fn, LLVMValueRef prologueData);
LLVMValueRef LLVMBuildCall2(LLVMBuilderRef B, LLVMTypeRef FnTy, LLVMValueRef Fn, LLVMValueRef *Args,
                            unsigned NumArgs, const char *Name);
LLVMValueRef LLVMBuildCast(LLVMBuilderRef B, int Op, LLVMValueRef Val, LLVMTypeRef DestTy, const char *Name);
LLVMValueRef LLVMBuildBinOp(LLVMBuilderRef B, int Op, LLVMValueRef LHS, LLVMValueRef RHS, const char *Name);
LLVMValueRef LLVMBuildInsertValue(LLVMBuilderRef B, LLVMValueRef AggVal, LLVMValueRef EltVal, unsigned Index,
                                  const char *Name);
LLVMValueRef LLVMBuildInsertElement(LLVMBuilderRef B, LLVMValueRef VecVal, LLVMValueRef EltVal,
                                    LLVMValueRef Index, const char *Name);
LLVMValueRef LLVMBuildExtractElement(LLVMBuilderRef B, LLVMValueRef VecVal, LLVMValueRef Index, const char *Name);
LLVMValueRef LLVMBuildUnreachable(LLVMBuilderRef B);
LLVMValueRef LLVMBuildRetVoid(LLVMBuilderRef B);
LLVMValueRef LLVMBuildRet(LLVMBuilderRef B, LLVMValueRef V);
unsigned LLVMLookupIntrinsicID(const char *Name, size_t NameLen);
LLVMValueRef LLVMGetIntrinsicDeclaration(LLVMModuleRef Mod, unsigned ID, LLVMTypeRef *ParamTypes,
                                         size_t ParamCount);

/* edit.py and apply: blocks, branches, metadata of instructions, named metadata, module assembly */
LLVMBasicBlockRef LLVMInsertBasicBlockInContext(LLVMContextRef C, LLVMBasicBlockRef BB, const char *Name);
LLVMValueRef LLVMBasicBlockAsValue(LLVMBasicBlockRef BB);
LLVMBasicBlockRef LLVMValueAsBasicBlock(LLVMValueRef Val);
LLVMValueRef LLVMGetFirstInstruction(LLVMBasicBlockRef BB);
LLVMValueRef LLVMGetNextInstruction(LLVMValueRef Inst);
void LLVMInstructionRemoveFromParent(LLVMValueRef Inst);
void LLVMInsertIntoBuilder(LLVMBuilderRef Builder, LLVMValueRef Instr);
void LLVMSetCurrentDebugLocation2(LLVMBuilderRef Builder, LLVMMetadataRef Loc);
LLVMValueRef LLVMBuildBr(LLVMBuilderRef B, LLVMBasicBlockRef Dest);
LLVMValueRef LLVMBuildCondBr(LLVMBuilderRef B, LLVMValueRef If, LLVMBasicBlockRef Then, LLVMBasicBlockRef Else);
LLVMValueRef LLVMBuildPhi(LLVMBuilderRef B, LLVMTypeRef Ty, const char *Name);
void LLVMAddIncoming(LLVMValueRef PhiNode, LLVMValueRef *IncomingValues, LLVMBasicBlockRef *IncomingBlocks,
                     unsigned Count);
unsigned LLVMCountIncoming(LLVMValueRef PhiNode);
LLVMValueRef LLVMGetIncomingValue(LLVMValueRef PhiNode, unsigned Index);
int LLVMGetInstructionOpcode(LLVMValueRef Inst);
unsigned LLVMGetNumSuccessors(LLVMValueRef Term);
LLVMBasicBlockRef LLVMGetSuccessor(LLVMValueRef Term, unsigned i);
LLVMValueRef LLVMGetMetadata(LLVMValueRef Val, unsigned KindID);
void LLVMSetMetadata(LLVMValueRef Val, unsigned KindID, LLVMValueRef Node);
const char *LLVMGetStringAttributeValue(LLVMAttributeRef A, unsigned *Length);
LLVMAttributeRef LLVMCreateStringAttribute(LLVMContextRef C, const char *K, unsigned KLength, const char *V,
                                           unsigned VLength);
LLVMComdatRef LLVMGetOrInsertComdat(LLVMModuleRef M, const char *Name);
unsigned LLVMGetNamedMetadataNumOperands(LLVMModuleRef M, const char *Name);
void LLVMGetNamedMetadataOperands(LLVMModuleRef M, const char *Name, LLVMValueRef *Dest);
void LLVMAppendModuleInlineAsm(LLVMModuleRef M, const char *Asm, size_t Len);
void LLVMGlobalAddMetadata(LLVMValueRef Global, unsigned Kind, LLVMMetadataRef MD); /* 22 and later */

/* target.py and passes.py */
char *LLVMGetDefaultTargetTriple(void);
char *LLVMNormalizeTargetTriple(const char *triple);
LLVMBool LLVMGetTargetFromTriple(const char *Triple, LLVMTargetRef *T, char **ErrorMessage);
LLVMTargetMachineRef LLVMCreateTargetMachine(LLVMTargetRef T, const char *Triple, const char *CPU,
                                             const char *Features, int Level, int Reloc, int CodeModel);
void LLVMDisposeTargetMachine(LLVMTargetMachineRef T);
LLVMTargetDataRef LLVMCreateTargetDataLayout(LLVMTargetMachineRef T);
char *LLVMCopyStringRepOfTargetData(LLVMTargetDataRef TD);
void LLVMDisposeTargetData(LLVMTargetDataRef TD);
LLVMBool LLVMTargetMachineEmitToMemoryBuffer(LLVMTargetMachineRef T, LLVMModuleRef M, int codegen,
                                             char **ErrorMessage, LLVMMemoryBufferRef *OutMemBuf);
LLVMErrorRef LLVMRunPasses(LLVMModuleRef M, const char *Passes, LLVMTargetMachineRef TM,
                           LLVMPassBuilderOptionsRef Options);
LLVMPassBuilderOptionsRef LLVMCreatePassBuilderOptions(void);
void LLVMDisposePassBuilderOptions(LLVMPassBuilderOptionsRef Options);
void LLVMPassBuilderOptionsSetVerifyEach(LLVMPassBuilderOptionsRef Options, LLVMBool VerifyEach);
void LLVMParseCommandLineOptions(int argc, const char *const *argv, const char *Overview);

/* jit.py */
LLVMErrorRef LLVMOrcCreateLLJIT(LLVMOrcLLJITRef *Result, LLVMOrcLLJITBuilderRef Builder);
LLVMErrorRef LLVMOrcDisposeLLJIT(LLVMOrcLLJITRef J);
LLVMOrcJITDylibRef LLVMOrcLLJITGetMainJITDylib(LLVMOrcLLJITRef J);
char LLVMOrcLLJITGetGlobalPrefix(LLVMOrcLLJITRef J);
LLVMErrorRef LLVMOrcLLJITAddObjectFile(LLVMOrcLLJITRef J, LLVMOrcJITDylibRef JD,
                                       LLVMMemoryBufferRef ObjBuffer);
LLVMErrorRef LLVMOrcLLJITLookup(LLVMOrcLLJITRef J, uint64_t *Result, const char *Name);
LLVMErrorRef LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(LLVMOrcDefinitionGeneratorRef *Result,
                                                                  char GlobalPrefix, void *Filter,
                                                                  void *FilterCtx);
void LLVMOrcJITDylibAddGenerator(LLVMOrcJITDylibRef JD, LLVMOrcDefinitionGeneratorRef DG);

/* target initialisation: which of them exist depends on how LLVM was built */
void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64Target(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64AsmParser(void);
void LLVMInitializeAArch64AsmPrinter(void);
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTarget(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUAsmParser(void);
void LLVMInitializeAMDGPUAsmPrinter(void);
void LLVMInitializeARMTargetInfo(void);
void LLVMInitializeARMTarget(void);
void LLVMInitializeARMTargetMC(void);
void LLVMInitializeARMAsmParser(void);
void LLVMInitializeARMAsmPrinter(void);
void LLVMInitializeAVRTargetInfo(void);
void LLVMInitializeAVRTarget(void);
void LLVMInitializeAVRTargetMC(void);
void LLVMInitializeAVRAsmParser(void);
void LLVMInitializeAVRAsmPrinter(void);
void LLVMInitializeBPFTargetInfo(void);
void LLVMInitializeBPFTarget(void);
void LLVMInitializeBPFTargetMC(void);
void LLVMInitializeBPFAsmParser(void);
void LLVMInitializeBPFAsmPrinter(void);
void LLVMInitializeHexagonTargetInfo(void);
void LLVMInitializeHexagonTarget(void);
void LLVMInitializeHexagonTargetMC(void);
void LLVMInitializeHexagonAsmParser(void);
void LLVMInitializeHexagonAsmPrinter(void);
void LLVMInitializeLanaiTargetInfo(void);
void LLVMInitializeLanaiTarget(void);
void LLVMInitializeLanaiTargetMC(void);
void LLVMInitializeLanaiAsmParser(void);
void LLVMInitializeLanaiAsmPrinter(void);
void LLVMInitializeLoongArchTargetInfo(void);
void LLVMInitializeLoongArchTarget(void);
void LLVMInitializeLoongArchTargetMC(void);
void LLVMInitializeLoongArchAsmParser(void);
void LLVMInitializeLoongArchAsmPrinter(void);
void LLVMInitializeMSP430TargetInfo(void);
void LLVMInitializeMSP430Target(void);
void LLVMInitializeMSP430TargetMC(void);
void LLVMInitializeMSP430AsmParser(void);
void LLVMInitializeMSP430AsmPrinter(void);
void LLVMInitializeMipsTargetInfo(void);
void LLVMInitializeMipsTarget(void);
void LLVMInitializeMipsTargetMC(void);
void LLVMInitializeMipsAsmParser(void);
void LLVMInitializeMipsAsmPrinter(void);
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmParser(void);
void LLVMInitializeNVPTXAsmPrinter(void);
void LLVMInitializePowerPCTargetInfo(void);
void LLVMInitializePowerPCTarget(void);
void LLVMInitializePowerPCTargetMC(void);
void LLVMInitializePowerPCAsmParser(void);
void LLVMInitializePowerPCAsmPrinter(void);
void LLVMInitializeRISCVTargetInfo(void);
void LLVMInitializeRISCVTarget(void);
void LLVMInitializeRISCVTargetMC(void);
void LLVMInitializeRISCVAsmParser(void);
void LLVMInitializeRISCVAsmPrinter(void);
void LLVMInitializeSparcTargetInfo(void);
void LLVMInitializeSparcTarget(void);
void LLVMInitializeSparcTargetMC(void);
void LLVMInitializeSparcAsmParser(void);
void LLVMInitializeSparcAsmPrinter(void);
void LLVMInitializeSystemZTargetInfo(void);
void LLVMInitializeSystemZTarget(void);
void LLVMInitializeSystemZTargetMC(void);
void LLVMInitializeSystemZAsmParser(void);
void LLVMInitializeSystemZAsmPrinter(void);
void LLVMInitializeVETargetInfo(void);
void LLVMInitializeVETarget(void);
void LLVMInitializeVETargetMC(void);
void LLVMInitializeVEAsmParser(void);
void LLVMInitializeVEAsmPrinter(void);
void LLVMInitializeWebAssemblyTargetInfo(void);
void LLVMInitializeWebAssemblyTarget(void);
void LLVMInitializeWebAssemblyTargetMC(void);
void LLVMInitializeWebAssemblyAsmParser(void);
void LLVMInitializeWebAssemblyAsmPrinter(void);
void LLVMInitializeX86TargetInfo(void);
void LLVMInitializeX86Target(void);
void LLVMInitializeX86TargetMC(void);
void LLVMInitializeX86AsmParser(void);
void LLVMInitializeX86AsmPrinter(void);
void LLVMInitializeXCoreTargetInfo(void);
void LLVMInitializeXCoreTarget(void);
void LLVMInitializeXCoreTargetMC(void);
void LLVMInitializeXCoreAsmParser(void);
void LLVMInitializeXCoreAsmPrinter(void);

/* cross-DSO CFI: bodies.py, edit.py */
LLVMBasicBlockRef LLVMGetFirstBasicBlock(LLVMValueRef Fn);
LLVMBasicBlockRef LLVMGetNextBasicBlock(LLVMBasicBlockRef BB);
void LLVMDeleteBasicBlock(LLVMBasicBlockRef BB);
void LLVMGlobalClearMetadata(LLVMValueRef Global);
LLVMValueRef LLVMBuildSwitch(LLVMBuilderRef B, LLVMValueRef V, LLVMBasicBlockRef Else, unsigned NumCases);
void LLVMAddCase(LLVMValueRef Switch, LLVMValueRef OnVal, LLVMBasicBlockRef Dest);
