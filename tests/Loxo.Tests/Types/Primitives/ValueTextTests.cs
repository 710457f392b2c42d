using Loxo.Types;

namespace Loxo.Tests.Types;

public class ValueTextTests
{
    [Test]
    public void Text_that_is_no_value_is_refused_with_an_example() =>
        Assert.That(() => ValueFormat.Parse<PgInet>("x", "::1"), Throws.TypeOf<FormatException>().With.Message.EqualTo("The text 'x' is not a value of PgInet, which looks like ::1."));
}
