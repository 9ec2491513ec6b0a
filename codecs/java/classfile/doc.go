// Package classfile reads Java classes as the compiler left them: .class files,
// directories of them, jars and Spring Boot's jars of jars. It gives the
// descriptors that codecs need, [java.Class], so that nobody types a Java class
// by hand.
//
// Nothing is loaded, linked or run. [Parse] reads one class file and takes time
// and space linear in its size, whatever its bytes are. [Open] indexes names
// only; a class is parsed when it is asked for:
//
//	shop, err := classfile.Open("shop.jar")
//	…
//	defer shop.Close()
//	classes, err := shop.Classes("com.shop.Order") // and all it refers to
//
// What comes from where:
//
//	name, final, kind    access flags, those of InnerClasses for nested classes
//	fields               in order of declaration, without static, transient and synthetic ones
//	generics             the Signature attribute; without one the erased types
//	enum constants       in order; classes of constants with bodies from the static initializer
//	interfaces           all that are known: of the class, its superclasses and theirs
//	serialVersionUID     declared, or computed as java.io.ObjectStreamClass does
//	not serializable     where all supertypes are known and none is java.io.Serializable
//	formats of fields    Jackson's annotations: see [java.FieldFormat]
//	custom               writeObject, writeReplace, Externalizable, serialPersistentFields
//
// Classes of the JDK are not read: what is known of their supertypes stands in a
// table of this package.
//
// Read for facts: The Java Virtual Machine Specification, chapter 4, and the Java
// Object Serialization Specification, section 4.6.
package classfile
