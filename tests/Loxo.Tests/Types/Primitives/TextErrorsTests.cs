using System.Text;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class TextErrorsTests
{
    [Test]
    public void The_text_and_the_remedy_are_shown() =>
        Assert.That(TypeErrors.Malformed("date", "1.2.2024"u8, "DateStyle has to be ISO").Message, Is.EqualTo(
            "The server sent bytes that are not a value of PostgreSQL type date: the text is '1.2.2024'; DateStyle has to be ISO."));

    [Test]
    public void A_long_text_is_cut() =>
        Assert.That(TypeErrors.Malformed("date", Encoding.UTF8.GetBytes(new string('x', 1000))).Message, Does.EndWith(new string('x', 40) + "'...."));
}
