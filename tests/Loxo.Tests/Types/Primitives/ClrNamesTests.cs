using Loxo.Types;

namespace Loxo.Tests.Types;

public class ClrNamesTests
{
    [TestCase(typeof(int), "int")]
    [TestCase(typeof(int?), "int?")]
    [TestCase(typeof(decimal[]), "decimal[]")]
    [TestCase(typeof(int?[,]), "int?[,]")]
    [TestCase(typeof(List<string>), "List<string>")]
    [TestCase(typeof(Dictionary<string, List<int?>>), "Dictionary<string, List<int?>>")]
    [TestCase(typeof(object), "object")]
    [TestCase(typeof(DateTime), "System.DateTime")]
    [TestCase(typeof(DayOfWeek), "System.DayOfWeek")]
    public void A_type_is_named_as_in_a_program(Type type, string name) => Assert.That(ClrNames.Of(type), Is.EqualTo(name));
}
