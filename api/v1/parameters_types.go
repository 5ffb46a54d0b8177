package v1

// Parameters are settings of an engine. A name has one spelling only, so that
// it can be compared: lower case, with underscores.
//
// RESERVED(k) stands for the expression in ReservedParameterRule: the
// generator of the CRD writes it out. No rule allows a name that the operator
// needs; see ReservedParameters.
//
// +kubebuilder:validation:MaxProperties=100
// +kubebuilder:validation:XValidation:rule=`self.all(k, k.size() <= 63 && k.matches('^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*){0,2}$'))`,message="write a setting's name in lower case with underscores, at most 63 characters, as in max_connections or pg_stat_statements.max"
// +kubebuilder:validation:XValidation:rule=`self.all(k, !k.matches('^(loose|disable|maximum)_'))`,message="loose_, disable_ and maximum_ are not parts of a setting's name: remove the prefix, and write the setting's own name and value"
// +kubebuilder:validation:XValidation:rule=`!self.exists(k, RESERVED(k))`,messageExpression=`'remove ' + self.filter(k, RESERVED(k))[0] + ': the operator itself sets it, to keep data safe and members reachable'`,message="remove the settings that the operator itself sets, to keep data safe and members reachable"
type Parameters map[string]ParameterValue

// ParameterValue is the value of a setting, without quotes of the engine's own.
//
// +kubebuilder:validation:MaxLength=2048
// +kubebuilder:validation:XValidation:rule=`!self.matches('[[:cntrl:]]')`,message="write the value on one line, without tabs or other control characters"
type ParameterValue string
